import sys,time; sys.path.insert(0,"src")
import numpy as np, hopscape
from hopscape.core import distance_gpu
from hopscape.core.network import Network
from hopscape.core.distances import distances_from
from hopscape.families.circulant.search_gpu import scan_slice, diameters_within
rng=np.random.default_rng(5); bad=0
for t in range(300):
    n=int(rng.integers(1,3000 if t%10==0 else 200)); m=int(rng.integers(0,4*n)); dup=bool(rng.integers(2))
    net=Network.from_links(n,*rng.integers(0,n,size=(2,m)),duplex=dup,spec="r")
    src=rng.permutation(n)[:int(rng.integers(1,n+1))]
    h,f=distance_gpu.distance_sweep(net,src)
    rows=[distances_from(net,int(s)) for s in src]
    far=np.array([r.max() for r in rows]); hh=np.zeros(far.max()+1,int)
    for r in rows: c=np.bincount(r[r>=0]); hh[:len(c)]+=c
    if h.tolist()!=hh.tolist() or f.tolist()!=far.tolist(): bad+=1; print("BAD",n,m,dup)
print("random graphs: 300, wrong:",bad)
for spec in ("path(5000)","torus(20, 20, 20)","hypercube(14)","complete(3000)"):
    net=hopscape.build(spec); t=time.perf_counter(); h,f=distance_gpu.distance_sweep(net,np.arange(net.order)); print(spec,len(h)-1,round(time.perf_counter()-t,4), h.sum()==net.order**2)
def cycles(n,d,seed=1):
    rng=np.random.default_rng(seed); a=[];b=[]
    for _ in range(d//2):
        p=rng.permutation(n); a.append(p); b.append(np.roll(p,-1))
    return Network.from_links(n,np.concatenate(a),np.concatenate(b),spec="random")
for n,d in ((65536,6),(10**6,32)):
    net=cycles(n,d); net.heads
    for _ in range(3):
        t=time.perf_counter(); h,f=distance_gpu.distance_sweep(net,np.arange(n)); e=time.perf_counter()-t; print(n,d,round(e,4),h.tolist(),f.min(),f.max(),flush=True)
def slow(N,s,d):
    ball={0}
    for _ in range(d): ball|={(x+g)%N for x in ball for g in s}|{(x-g)%N for x in ball for g in s}
    return len(ball)==N
for N,K,d in ((64,2,6),(97,3,4),(333,3,6),(532,5,4),(65,4,2),(66,33,1),(128,3,5),(1000,4,7)):
    s=np.sort(rng.integers(1,N//2+1,size=(200,K)),axis=1)
    assert diameters_within(N,s,d).tolist()==[slow(N,list(x),d) for x in s.tolist()],(N,K,d)
print("within ok")
print(scan_slice(104,4,3,[(1,2,53)]), scan_slice(117,3,4,[(1,2,59)])["sets"])
for _ in range(2):
    t=time.perf_counter(); r=[scan_slice(532,5,d,[(1,2,267)]) for d in (4,5)]; print("K5 N532",time.perf_counter()-t,[(x["total"],x["sets"],x["tested"]) for x in r])
t=time.perf_counter(); r=scan_slice(300,5,4,[(1,2,151)]); print("K5 N300",time.perf_counter()-t,r)
t=time.perf_counter(); r=[scan_slice(750,4,d,[(1,2,376)]) for d in (6,)]; print("K4 N750",time.perf_counter()-t,r)
s=rng.integers(1,10001,size=(4_000_000,8)).astype(np.int32); diameters_within(20000,s[:1000],6)
t=time.perf_counter(); o=diameters_within(20000,s,6); e=time.perf_counter()-t; print("tests/s",len(s)/e)
