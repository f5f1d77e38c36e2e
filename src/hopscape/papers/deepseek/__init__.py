"""DeepSeek-V3's table of fabrics (Zhao and others, arXiv 2505.09343): its sizes on one page.

How many endpoints and switches two fat trees, a multi-plane one, a Slim Fly and a Dragonfly of
switches with 64 ports have. The table could not be read in print when this was written; its sizes
are as they are handed down, and each is built or shown not to exist.

    hopscape show "leaf_spine(64, 32, 32)"
    hopscape ledger --paper deepseek

    claims      checks and claims
"""
