/**
 * The end-to-end test in its short form, in pods of a real node (hack/node): Crossplane installs the package, mappings and
 * composite resources become Ready, and all of it is uninstalled. Nothing is downloaded or built for it: what is in no cache
 * is left out, by name.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { findProgram } from '../../../hack/control-planes/binaries/ensure-program.ts';
import { CROSSPLANE } from '../../../hack/crossplane/crossplane.ts';
import { missingPrograms } from '../../../hack/node/programs/ensure-programs.ts';
import { findMachine } from '../../../hack/node/requirements.ts';
import { nodeCluster } from '../../e2e/clusters/node.ts';
import { DEFAULT_CROSSPLANE } from '../../e2e/clusters/test-cluster.ts';
import { runAll } from '../../e2e/run-all.ts';

/** Three minutes on two cores; several times as long on a busy machine. */
jest.setTimeout(900_000);

/** Not beside other tests, which would wait for it. */
async function findMissing(): Promise<string | undefined> {
  if (process.env.CONTAINER_TESTS !== '1') return '`npm run test:containers` does it';
  const machine = await findMachine();
  if ('missing' in machine) return machine.missing;
  const programs = await missingPrograms();
  const lacking = [...programs, ...((await findProgram(CROSSPLANE)) === undefined ? ['Crossplane'] : [])];
  if (lacking.length === 0) return undefined;
  return `${lacking.join(', ')} are in no cache; \`make e2e ARGS='--on node'\` provides them`;
}

const missing = await findMissing();

if (missing !== undefined) {
  test.todo(`the package is not run in pods: ${missing}`);
} else {
  describe('in pods of a node', () => {
    const { PATH, KUBECONFIG } = process.env;
    const lines: string[] = [];
    const print = (line: string) => {
      lines.push(line);
      process.stderr.write(`${line}\n`);
    };
    const cluster = nodeCluster({ report: print, cachedOnly: true });
    let directory: string;
    afterAll(async () => {
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
      Object.assign(process.env, { PATH, KUBECONFIG });
      if (KUBECONFIG === undefined) delete process.env.KUBECONFIG;
    });

    test('Crossplane installs the package, all becomes Ready, and it is uninstalled', async () => {
      directory = await mkdtemp(join(tmpdir(), 'kyma-e2e-'));
      await cluster.prepare();
      const leaveOut = (what: string) => print(`left out: ${what}`);
      const options = {
        cluster,
        crossplane: DEFAULT_CROSSPLANE,
        directory,
        leaveOut,
        report: print,
      };
      const held = await runAll(options, print, { short: true });
      expect({ held, failed: lines.filter((line) => line.startsWith('FAILED')) }).toEqual({
        held: true,
        failed: [],
      });
    });
  });
}
