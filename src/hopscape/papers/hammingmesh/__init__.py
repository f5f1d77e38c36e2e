"""HammingMesh (Hoefler and others, SC 2022): its claims on one page.

The network itself is a family of the toolkit, and its price list is one of those shipped. This room
holds what can be judged without the printed tables: the price list, costs recomputed part by part
on the wiring and by formulas, and the bandwidth of jobs with two dimensions.

    hopscape show "hammingmesh(2, 2, 16, 16)"
    hopscape ledger --paper hammingmesh

    claims      checks and claims
"""
