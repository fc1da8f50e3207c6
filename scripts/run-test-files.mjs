// `node --import test/support/same-cases.mjs scripts/run-test-files.mjs FILE…`: runs test files one after another in this
// process. `node --test` would start a second process for each file, which costs more than many files need.
import { relative, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const loaded = Promise.withResolvers();
// A test that waits for something that does not keep the process alive must not end the tests of the other files.
const keepAlive = setInterval(() => {}, 60_000);
before(() => loaded.promise);
after(() => clearInterval(keepAlive));

for (const file of process.argv.slice(2))
  try {
    await import(pathToFileURL(resolve(file)).href);
  } catch (thrown) {
    // Not awaited: the test starts when all files are loaded.
    void test(`${relative(process.cwd(), file)} can be loaded`, () => {
      throw thrown;
    });
  }
process.emit("tests-loaded");
loaded.resolve();
