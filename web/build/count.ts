import type { Reporter, TestModule } from "vitest/node";

/** Prints the sum in the words of cargo's tests, so that one pattern counts both. */
export default class Count implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let passed = 0;
    let failed = 0;
    let skipped = 0;
    for (const module of modules) {
      // A file that does not load has no tests that could fail.
      if (module.state() === "failed" && module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state === "passed") passed++;
        else if (state === "failed") failed++;
        else skipped++;
      }
    }
    console.log(`test result: page. ${passed} passed; ${failed} failed; ${skipped} ignored;`);
  }
}
