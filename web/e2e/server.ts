// Serves the built page from under a path, as any static host would.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };

/** A server of the page, and the address of the page on it. */
export async function serve(under: string): Promise<{ server: Server; address: string }> {
  const dist = new URL("../dist", import.meta.url).pathname;
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "/").split(/[?#]/)[0] ?? "/");
    const inside = path.startsWith(under) ? normalize(path.slice(under.length)) : "..";
    const file = join(dist, inside === "" || inside === "." ? "index.html" : inside);
    if (inside.startsWith("..") || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${under}` };
}
