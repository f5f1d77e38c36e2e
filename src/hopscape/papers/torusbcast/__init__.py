"""Broadcast on tori by circuits (Okazaki, Ono, Sadahiro, Yamashita, paper 004), on one page.

A call is a path through the torus; calls of one round may not meet. A vertex of the torus of side
(2d + 1)^m in d dimensions is written in a number system with a matrix B and the 2d + 1 digits 0 and
±e_i; the digits say when a vertex is informed and by whom, so that everyone knows its part from its
own address. Two dimensions take 2m = log_5 N rounds and paths no longer than the diameter; three
take 3m rounds. The paper asks how short paths can be in three dimensions; the answer is here: D + 1
with vertex-disjoint calls, D with edge-disjoint ones. Circuits that any broadcast uses belong to
the toolkit (`hopscape.collectives.circuits`).

    hopscape broadcast "torus(25, 25)" -a circuit --switching circuit
    hopscape study torus-broadcast --out FOLDER       lengths and rounds of all schemes
    hopscape search torus-level                       words for side 11 in five dimensions
    hopscape ledger --paper torusbcast

Numbers and tiles
    numeration, numeration_kernels   number systems on Z^d and on finite tori, tiles and lattices
    codes               perfect codes, and why D + 1 is the best with vertex-disjoint calls
Schemes
    flags, words_kernels    all uniform schemes by chains of lattices; disjoint words by search
    node_local          the rule of one node
    delays              circuits when nodes are late: proofs and simulation
Study
    study, pictures     tables; pictures of tiles and circuits
Ledger
    printed             matrices, digits, words and formulas as the paper prints them
    reference           circuits and tiles by hand, without the code that they judge
    claims_definition, claims_numbers, claims_plane, claims_space, claims_beyond
                        checks and claims, section by section; `claims` joins them
Command line
    commands
"""
