import { render } from "preact";
import type { Page } from "./document";
import { PageView } from "./page";

const data = document.getElementById("page")?.textContent ?? "";
const root = document.getElementById("application");
if (root) render(<PageView page={JSON.parse(data) as Page} />, root);
