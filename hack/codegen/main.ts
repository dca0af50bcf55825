/**
 * Schema first: what users may ask for stands in YAML, and everything that repeats it is generated from there.
 *
 * - `apis/<group>/<version>/<kind>.yaml` → the CRD in `package/crds` or the folder that `apis/<group>/group.yaml`
 *   states; types, a reference page and fields in `apis/schemas.gen.ts` for each version
 * - `apis/<group>/webhooks.yaml` → webhook configurations in the file that it states
 * - `internal/systems/<system>/<client>/openapi.yaml` → the client's types beside it
 * - `apis/<system>/<part>.openapi.yaml` → the types of another system's kinds beside it
 * - the entries of `exports` in package.json → the public API of the framework in `docs/api`
 * - hack/monitoring → the dashboard and the alerts in `package/monitoring`
 * - the sources of the examples → what `provider-kyma-generate` (command.ts) makes of them
 *
 * `node main.ts` writes, `node main.ts --check` only compares and exits with 1 if a file is not what its source asks for.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ownMonitoringFiles } from '../monitoring/own-monitoring.ts';
import { generate, repository } from './generate.ts';
import { generateKinds } from './generate-kinds.ts';
import { applyOutputs, collectOutputs } from './outputs.ts';
import { ApiReportError, apiReports } from './pages/api-reports.ts';
import { authorProject } from './project.ts';
import { filesAt } from './source/read-kinds.ts';
import { SourceError } from './source/source-error.ts';

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const project = repository(fileURLToPath(new URL('../..', import.meta.url)));
  const monitoring = collectOutputs(project);
  for (const { path, text } of ownMonitoringFiles())
    monitoring.put(path, 'hack/monitoring/own-monitoring.ts', text);
  const outputs = new Map([
    ...(await generate(project)),
    ...(await apiReports(project)),
    ...monitoring.outputs,
  ]);
  const results = [await applyOutputs(project, outputs, values)];
  for (const apis of await filesAt(project.root, 'examples/*/apis')) {
    const folder = dirname(apis);
    const example = authorProject(join(project.root, folder));
    const { outputs, put } = collectOutputs(example);
    await generateKinds(example, put);
    results.push(await applyOutputs(example, outputs, { ...values, prefix: `${folder}/` }));
  }
  return results.every(Boolean);
}

try {
  if (!(await main())) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SourceError || error instanceof ApiReportError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
