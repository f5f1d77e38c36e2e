"""stub"""
def collectives_of(nodes, generators):
    return ()
