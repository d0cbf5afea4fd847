// Builds the application of the pages: `node build.mjs`; --check compares, --test runs the tests.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const OUTPUT = new URL("../src/autostrada/report/application/", import.meta.url).pathname;
const ORIGIN = "The application of pages, built from site/: npm run build.";
const SHARED = {
  absWorkingDir: new URL(".", import.meta.url).pathname,
  bundle: true,
  write: false,
  legalComments: "none",
  banner: { js: `// ${ORIGIN}`, css: `/* ${ORIGIN} */` },
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".css": "text" },
};
const BROWSER = { ...SHARED, minify: true, target: "es2022", format: "iife" };
const NODE = { ...SHARED, platform: "node", format: "esm", target: "node20" };

/** The files of the application by name. */
async function built() {
  const [script, style, picture, parquet] = await Promise.all([
    build({ ...BROWSER, entryPoints: ["src/main.tsx"] }),
    build({ ...BROWSER, loader: {}, entryPoints: ["src/style.css"] }),
    build({ ...NODE, minify: true, entryPoints: ["src/picture.ts"] }),
    build({ ...BROWSER, entryPoints: ["src/parquet.ts"] }),
  ]);
  return {
    "application.js": script.outputFiles[0].text,
    "application.css": style.outputFiles[0].text,
    "picture.mjs": picture.outputFiles[0].text,
    "parquet.js": parquet.outputFiles[0].text,
  };
}

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "autostrada-site-"));
  try {
    const names = readdirSync(new URL("test", import.meta.url)).map((name) => `test/${name}`);
    const bundles = await Promise.all(
      names.map((name) =>
        build({ ...NODE, entryPoints: [name], outfile: join(folder, "test.mjs") }),
      ),
    );
    const paths = bundles.map(({ outputFiles: [bundle] }, index) => {
      const path = join(folder, `${index}.test.mjs`);
      writeFileSync(path, bundle.text);
      return path;
    });
    execFileSync(process.execPath, ["--test", ...paths], { stdio: "inherit" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv.includes("--test")) {
  await runTests();
} else {
  for (const [name, text] of Object.entries(await built())) {
    if (text.includes("</script")) throw new Error(`${name} would end its script element`);
    if (!process.argv.includes("--check")) writeFileSync(OUTPUT + name, text);
    else if (readFileSync(OUTPUT + name, "utf8") !== text)
      throw new Error(`${name} is not that of its source: run npm run build in site/`);
  }
}
