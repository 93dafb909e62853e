// The planner in wasm against the same planner outside of it, in Node.js.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { Glance, Problem, Request } from "../page/planner/types.ts";
import { initSync, parseSize, Planned, readRequest, sizeText, writeRequest } from "../page/planner/planner.js";
import { bindings } from "./programs.ts";
import { anyRequest, device, random, request } from "./requests.ts";

/** How many requests are compared. */
const MANY = 3000;

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../page/planner/planner_bg.wasm", import.meta.url)) });
});

function native(requests: string[]): { kind: string; text: Buffer }[] {
  const output = execFileSync(bindings(), ["plans"], { input: `${requests.join("\n")}\n`, maxBuffer: 1 << 30 });
  const answers: { kind: string; text: Buffer }[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    const [kind = "", length = ""] = output.subarray(at, end).toString().split(" ");
    answers.push({ kind, text: output.subarray(end + 1, end + 1 + Number(length)) });
    at = end + 1 + Number(length);
  }
  return answers;
}

describe("the planner in wasm", () => {
  test(`gives the same as outside of wasm for ${MANY} random requests`, () => {
    const pick = random(20261130);
    let plans = 0;
    for (let batch = 0; batch < 10; batch++) {
      const requests = Array.from({ length: MANY / 10 }, () => anyRequest(pick));
      native(requests).forEach((answer, index) => {
        const text = requests[index] ?? "";
        let mine: { kind: string; text: string };
        try {
          const planned = Planned.plan(text);
          mine = { kind: "plan", text: planned.json() };
          planned.free();
        } catch (error) {
          mine = { kind: "error", text: (error as Problem).message };
        }
        if (mine.kind !== answer.kind || !answer.text.equals(Buffer.from(mine.text))) {
          expect(mine.text.slice(0, 2000), text).toBe(answer.text.toString().slice(0, 2000));
        }
        if (mine.kind === "plan") plans++;
      });
    }
    // Requests that are all refused would compare nothing.
    expect(plans).toBeGreaterThan(MANY / 4);
  });

  test("takes requests as objects, with integers past 2^53 as BigInts, and gives them back as they were", () => {
    const text = request([device((1n << 53n) + 12_288n)]);
    const asked = readRequest(text) as Request;
    expect(asked.devices[0]?.size).toBe((1n << 53n) + 12_288n);
    const glance = Planned.plan(writeRequest(asked)).glance() as Glance;
    expect(glance.filesystem.total_size).toBe((1n << 53n) + 12_288n);
    expect(typeof glance.filesystem.node_size).toBe("number");
    expect(readRequest(writeRequest(asked))).toEqual(asked);
  });

  test("names the field and the device at fault", () => {
    const refused = (text: string): Problem => {
      try {
        Planned.plan(text);
      } catch (error) {
        return error as Problem;
      }
      throw new Error("it was planned");
    };
    expect(refused(request([]))).toMatchObject({ field: "devices" });
    expect(refused(request([device(1n << 33n), device(5n)]))).toMatchObject({ field: "size", device: 1 });
    expect(refused(request([device(1n << 33n)], ',"data":"raid6"'))).toMatchObject({ field: "data" });
    expect(refused(request([device(1n << 33n)], ',"node_size":5000'))).toMatchObject({ field: "node_size" });
    expect(refused("{")).toHaveProperty("message");
  });

  test("reads plans only as they were sealed", () => {
    const text = Planned.plan(request([device(10n << 30n)])).json();
    const bytes = (changed: string) => new TextEncoder().encode(changed);
    expect(Planned.read(bytes(text)).json()).toBe(text);
    for (const spoilt of [text.slice(0, 900), text.replace('"generation":1', '"generation":2'), text.replace("10737418240", "10737418241"), "", "null"]) {
      if (spoilt !== text) expect(() => Planned.read(bytes(spoilt))).toThrow();
    }
  });

  test("reads sizes and writes them", () => {
    expect(parseSize("931.5GiB")).toBe(1_000_190_509_056n);
    expect(sizeText(10n << 40n)).toBe("10T");
    expect(() => parseSize("ten")).toThrow();
  });
});
