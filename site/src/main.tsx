import { render } from "preact";
import type { Page } from "./document";
import { LiveView } from "./live";

const data = document.getElementById("page")?.textContent ?? "";
const root = document.getElementById("application");
if (root) render(<LiveView first={JSON.parse(data) as Page} />, root);
