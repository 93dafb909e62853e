// The state in the address: a request, compressed, so that a layout can be sent as a link.
import type { Request } from "./planner/types.ts";
import { readRequest } from "./planner/planner.js";

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const body = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, BlobPart & Uint8Array<ArrayBuffer>>);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

function toText(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function toBytes(text: string): Uint8Array {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

/** Packs text for the part of an address behind `#`. */
export async function pack(text: string): Promise<string> {
  return toText(await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw")));
}

/** What `pack` packed. Throws where the text is nothing of the kind. */
export async function unpack(text: string): Promise<string> {
  return new TextDecoder("utf-8", { fatal: true }).decode(await through(toBytes(text), new DecompressionStream("deflate-raw")));
}

/** The part of the address that holds a request. */
export async function toLink(request: string): Promise<string> {
  return pack(request);
}

/** The request of a link. Throws a `Problem` or an `Error`. */
export async function fromLink(text: string): Promise<Request> {
  return readRequest(await unpack(text)) as Request;
}
