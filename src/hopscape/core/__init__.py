"""The four nouns, Network, Router, Schedule and Verdict; no family inside.

Networks
    structure, wired, network   a wiring function; its arrays; what users hold
    family, product      what a family answers; products of networks
    facts, requirement   closed forms; sizes and ports asked for
    addresses, channels  names of nodes; classes of channels
    faults, spec         what is dead; the text of a spec
Routes and distances
    router, router_check, dimension_order   closed forms, tables and searches
    detours              around dead parts
    distances, distance_kernels, search_kernels, grid_kernels, vector_kernels, gpu
    formula              routers as formulas, of which code is written
Schedules
    goal, model, schedule, verify, verify_kernels, verdict
Figures
    measured, numbers, tables, arrays   values that know how they are known; how they are shown
Work
    progress, processes  time limits; processes that end with their parent
    annealing, annealing_kernels   one loop for all searches
    kernel, kernel_cache, compile_ahead   numba in one place
    plugins, methods, front   entry points; the everyday methods of a network
    errors, files, reading    one sentence each; files whole or not at all; users' files
"""
