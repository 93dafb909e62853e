import { readdirSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig, type Plugin } from "vite";

/** Writes a service worker that keeps every file of the page: once loaded, it works without a network. */
function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    closeBundle() {
      const dist = join(import.meta.dirname ?? ".", "dist");
      const all = (folder: string): string[] =>
        readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
          entry.isDirectory() ? all(join(folder, entry.name)) : [relative(dist, join(folder, entry.name))],
        );
      const files = all(dist).filter((file) => file !== "sw.js").sort();
      const hash = createHash("sha256");
      for (const file of files) hash.update(file).update(readFileSync(join(dist, file)));
      const template = readFileSync(join(import.meta.dirname ?? ".", "build/sw.js"), "utf8");
      const text = template
        .replace("__VERSION__", hash.digest("hex").slice(0, 16))
        .replace("__FILES__", JSON.stringify(["./", ...files.map((file) => `./${file}`)]));
      writeFileSync(join(dist, "sw.js"), text);
    },
  };
}

export default defineConfig({
  // Relative paths: the page works under any.
  base: "./",
  root: import.meta.dirname ?? ".",
  build: { target: "es2022", modulePreload: false, assetsInlineLimit: 0 },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  worker: { format: "es" },
  plugins: [offline()],
});
