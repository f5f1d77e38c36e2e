import time,sys
from fractions import Fraction
import numpy as np, hopscape
from math import gcd, lcm
from hopscape.collectives.forest.arcs import Arcs
from hopscape.collectives.forest.flow_kernels import *

def optimum(nodes,tails,heads,cap,ends,sinks):
    """x*: least over cuts of leaving capacity / endpoints inside."""
    n=nodes; N=len(ends)
    t=np.concatenate([tails,np.full(N,n)]); h=np.concatenate([heads,ends])
    a=Arcs(n+1,t,h,np.concatenate([cap,np.zeros(N,np.int64)]))
    indptr,arcs,hd,left0=a.csr()
    inn=np.bincount(heads,weights=cap,minlength=n)
    x=Fraction(int(min(inn[ends])),N-1) if N>1 else None
    cut=None; flows=0
    while True:
        best=x
        for v in sinks:
            left=left0.copy()*x.denominator
            left[2*len(tails)::2]=x.numerator
            f=largest_flow(indptr,arcs,hd,left,n,int(v),N*x.numerator); flows+=1
            if f<N*x.numerator:
                side=source_side(indptr,arcs,hd,left,n)
                out=int(cap[side[tails]&~side[heads]].sum()); ins=int(side[ends].sum())
                r=Fraction(out,ins)
                if r<best: best,cut=r,side[:n].copy()
        if best==x: return x,cut,flows
        x=best

def pack(n,tails,heads,cap,k,stages=8):
    m=len(tails)
    top=n; riv=n+1
    T=[tails,np.full(n,top),np.full(stages,top),np.repeat(np.arange(riv,riv+stages),n)]
    H=[heads,np.arange(n),np.arange(riv,riv+stages),np.tile(np.arange(n),stages)]
    # node order: top must be last in indptr => relabel: rivals n..n+stages-1, top last
    top=n+stages; riv=n
    T=[tails,np.full(n,top),np.full(stages,top),np.repeat(np.arange(riv,riv+stages),n)]
    H=[heads,np.arange(n),np.arange(riv,riv+stages),np.tile(np.arange(n),stages)]
    a=Arcs(n+stages+1,np.concatenate(T),np.concatenate(H),np.concatenate([cap,np.zeros(n+stages+stages*n,np.int64)]))
    indptr,arcs,hd,left=a.csr()
    free=left[:2*m].copy()
    asks=np.full(n,k,np.int64)
    out=[]
    for r in range(n):
        asks[r]=0
        found=np.zeros((64,n),np.int64); copies=np.zeros(64,np.int64); copies[0]=k
        many=grow_trees(indptr,arcs,hd,free,asks,r,stages,found,copies)
        assert many>0,(r,many)
        out.append((r,found[:many].copy(),copies[:many].copy()))
    return out,free
for spec in sys.argv[1:]:
    net=hopscape.build(spec); n=net.order
    tails,heads=net.tails.astype(np.int64),net.heads.astype(np.int64)
    cap=np.ones(len(tails),np.int64)
    t=time.perf_counter()
    x,cut,flows=optimum(n,tails,heads,cap,np.arange(n),range(n) if net.symmetry is None else net.symmetry.representatives)
    t1=time.perf_counter()
    k=x.numerator; c=cap*x.denominator
    trees,free=pack(n,tails,heads,c,k)
    t2=time.perf_counter()
    used=np.zeros(len(tails),int); depth=0
    for r,f,cp in trees:
        assert cp.sum()==k
        for row,m in zip(f,cp):
            d={r:0}; todo=[v for v in range(n) if v!=r]
            assert row[r]==-1
            while todo:
                rest=[v for v in todo if tails[row[v]//2] not in d]
                for v in todo:
                    u=tails[row[v]//2]
                    if u in d and v not in d: d[v]=d[u]+1
                assert len(rest)<len(todo) or not rest; todo=[v for v in todo if v not in d]
            depth=max(depth,max(d.values()))
            for v in range(n):
                if v!=r: used[row[v]//2]+=m
    assert (used<=c).all()
    print(spec,"x*",x,"time",1/x,float(1/x),"k",k,"opt",round(t1-t,3),"pack",round(t2-t1,3),"trees",sum(len(f) for _,f,_ in trees),"depth",depth,flush=True)
