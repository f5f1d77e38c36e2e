import type { Trouble } from "./types";

/** How far a request is, as the server tells it. */
export interface Progress {
  state: "running" | "done" | "refused" | "failed" | "cancelled";
  text: string;
  /** There is a page already, without what takes longer. */
  draft?: boolean;
  done?: number;
  total?: number;
  spec?: string;
  position?: number;
}

const PAUSE = 150; // milliseconds between two questions how far it is

/** An answer that says why there is none. */
export class RefusedError extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.error);
  }
}

async function ask<T>(path: string, method = "GET", body?: unknown): Promise<T> {
  const answer = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => {
    throw new RefusedError({ error: "the server does not answer; is hopscape explore running?" });
  });
  const data = await answer.json();
  if (!answer.ok) throw new RefusedError(data as Trouble);
  return data as T;
}

export const check = (spec: string): Promise<Trouble> => ask("check", "POST", { spec });

export const cancel = (job: string): Promise<unknown> =>
  ask(`jobs/${job}`, "DELETE").catch(() => undefined);

export async function begin(specs: string[], load: number, curve: boolean): Promise<string> {
  const { job } = await ask<{ job: string }>("jobs", "POST", {
    specs,
    curve,
    ...(load ? { load } : {}),
  });
  return job;
}

/** Asks until the request is over, or nobody wants it any more. */
export async function follow(
  job: string,
  tell: (now: Progress) => void,
  wanted: () => boolean,
): Promise<Progress> {
  while (wanted()) {
    const now = await ask<Progress>(`jobs/${job}`);
    if (now.state !== "running") return now;
    tell(now);
    await new Promise((done) => setTimeout(done, PAUSE));
  }
  return { state: "cancelled", text: "stopped" };
}
