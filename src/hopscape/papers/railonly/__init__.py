"""Rail-only networks (Wang and others, arXiv 2307.12169): its claims on one page.

Islands of accelerators with a fast switch of their own; accelerator r of every island hangs on rail
r, and no spine joins the rails. The network is `rails` of the toolkit. Only the abstract could be
read in print: its three ranges are held against machines counted and executed here.

    hopscape show "rails(xgft([8], [1]), 8, 8)"
    hopscape ledger --paper railonly

    claims      checks and claims
"""
