/**
 * Schema first: what users may ask for stands in YAML, and everything that repeats it is generated from there.
 *
 * - `apis/<group>/<version>/<kind>.yaml` → the CRD in `package/crds` or the folder that `apis/<group>/group.yaml`
 *   states; types, a reference page and fields in `apis/schemas.gen.ts` for each version
 * - `apis/<group>/webhooks.yaml` → webhook configurations in the file that it states
 * - `internal/clients/<system>/openapi.yaml` → the client's types beside it
 * - the entries of `exports` in package.json → the public API of the framework in `docs/api`
 *
 * `node main.ts` writes, `node main.ts --check` only compares and exits with 1 if a file is not what its source asks for.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { generate } from './generate.ts';
import { findDrift, writeOutputs } from './outputs.ts';
import { ApiReportError, apiReports } from './pages/api-reports.ts';
import { SourceError } from './source/source-error.ts';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const outputs = new Map([...(await generate(root)), ...(await apiReports(root))]);
  if (!values.check) {
    for (const { path, state } of await writeOutputs(root, outputs)) {
      console.log(state === 'left over' ? `removed ${path}` : `wrote ${path}`);
    }
    return 0;
  }
  const drift = await findDrift(root, outputs);
  if (drift.length === 0) return 0;
  console.error('generated files are not what their sources ask for; run `make generate`:');
  for (const { path, state } of drift) console.error(`  ${path} (${state})`);
  return 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SourceError || error instanceof ApiReportError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
