import { defineConfig } from "vitest/config";

// Two projects: what needs nothing but Node.js, and what needs the built page and a browser.
export default defineConfig({
  test: {
    reporters: ["default", "./build/count.ts"],
    projects: [
      { test: { name: "unit", include: ["page/**/*.test.ts"] } },
      { test: { name: "planner", include: ["e2e/planner.test.ts"], testTimeout: 300_000 } },
      { test: { name: "browser", include: ["e2e/page.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
