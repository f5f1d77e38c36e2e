import type { Alive, Graph } from "./graph";
import { type Profile, profile } from "./profile";

/** Distances over all pairs, computed beside the page in a worker. */
interface Job {
  id: number;
  graph: Graph;
  alive: Alive;
  counted: Uint8Array;
}

interface Answer {
  id: number;
  share: number;
  result: Profile | null;
}

/** What the script does when it is the worker. */
export function serve(scope: { onmessage: ((event: MessageEvent<Job>) => void) | null }): void {
  const post = (answer: Answer) => (scope as unknown as Worker).postMessage(answer);
  scope.onmessage = ({ data }) => {
    let told = 0;
    const result = profile(data.graph, data.alive, data.counted, (share) => {
      if (share - told < 0.02) return;
      told = share;
      post({ id: data.id, share, result: null });
    });
    post({ id: data.id, share: 1, result });
  };
}

let worker: Worker | null | undefined;
let latest = 0;
const open = new Map<number, { tell: (share: number) => void; done: (p: Profile) => void }>();

function start(): Worker | null {
  const code = document.getElementById("hopscape-code")?.textContent;
  if (!code) return null;
  try {
    const made = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    made.onmessage = ({ data }: MessageEvent<Answer>) => {
      const job = open.get(data.id);
      job?.tell(data.share);
      if (data.result) {
        open.delete(data.id);
        job?.done(data.result);
      }
    };
    made.onerror = () => {
      worker = null;
    };
    return made;
  } catch {
    return null;
  }
}

/** The profile of what is alive; `tell` hears the share that is done. */
export function findProfile(
  graph: Graph,
  alive: Alive,
  counted: Uint8Array,
  tell: (share: number) => void,
): Promise<Profile> {
  if (worker === undefined) worker = start();
  const helper = worker;
  if (!helper)
    return new Promise((done) => setTimeout(() => done(profile(graph, alive, counted)), 0));
  const id = ++latest;
  return new Promise((done) => {
    open.set(id, { tell, done });
    const job: Job = { id, graph, alive, counted };
    helper.postMessage(job);
  });
}
