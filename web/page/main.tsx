import { render } from "preact";
import { App } from "./app.tsx";
import { start } from "./engine.ts";
import { open } from "./state.ts";
import "./style.css";

const page = document.getElementById("page");
if (page !== null) {
  try {
    await start();
    await open();
    render(<App />, page);
    if ("serviceWorker" in navigator && import.meta.env.PROD) void navigator.serviceWorker.register("./sw.js");
  } catch (error) {
    page.textContent = `The planner did not start: ${String(error)}`;
  }
}
