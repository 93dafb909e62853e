// Programs that the tests call: built before, by `make test-web`.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

const target = process.env["CARGO_TARGET_DIR"] ?? new URL("../../target", import.meta.url).pathname;

/** The planner outside of wasm, for many requests at once. */
export const bindings = (): string => join(target, "debug/btrfs-plan-bindings");
/** The program that people call. */
export const btrfsPlan = (): string => join(target, "debug/btrfs-plan");

/** The browser, if there is one. */
export function chromium(): string | undefined {
  const candidates = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return candidates.find((path) => {
    try {
      if (path !== undefined) accessSync(path, constants.X_OK);
      return path !== undefined;
    } catch {
      return false;
    }
  });
}
