import type { Packed } from "./types";

export type Numbers =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Float32Array;

const KINDS = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  f4: Float32Array,
};

/** The array that hopscape packed: base64 of raw deflate of little-endian numbers. */
export async function unpack(packed: Packed): Promise<Numbers> {
  const bytes = Uint8Array.from(atob(packed.d), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const raw = await new Response(stream).arrayBuffer();
  return new KINDS[packed.t](raw, 0, packed.n);
}
