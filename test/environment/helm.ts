/** Runs `helm` on the chart of the SAP BTP service operator. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { ensureHelm } from '../../hack/helm/helm.ts';
import { messageOf } from '../../internal/base/errors/errors.ts';
import type { KubeObject } from '../../internal/kube/object/object.ts';

export const BTP_CHART = join(import.meta.dirname, '../../package/btp/chart');

/** Why there is no Helm on this machine; undefined if there is one. */
export async function noHelmBecause(): Promise<string | undefined> {
  try {
    await ensureHelm({ report: (line) => process.stderr.write(`helm: ${line}\n`) });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

export interface Helm {
  /** Returns stdout. @throws with stderr if it fails */
  run(args: readonly string[], values?: object): Promise<string>;
  /** What `helm template` renders of the chart, without a cluster. */
  render(values: object, namespace?: string): Promise<KubeObject[]>;
  close(): Promise<void>;
}

/** @param kubeconfigPath of the cluster for commands that need one */
export async function openHelm(kubeconfigPath?: string): Promise<Helm> {
  const binary = await ensureHelm();
  const folder = await mkdtemp(join(tmpdir(), 'helm-'));
  let files = 0;
  const run: Helm['run'] = async (args, values) => {
    const more: string[] = [];
    if (values !== undefined) {
      files++;
      const file = join(folder, `values-${files}.yaml`);
      await writeFile(file, stringify(values), { mode: 0o600 });
      more.push('--values', file);
    }
    const env = { PATH: process.env.PATH, HOME: folder, KUBECONFIG: kubeconfigPath ?? join(folder, 'none') };
    try {
      const { stdout } = await promisify(execFile)(binary, [...args, ...more], { env, maxBuffer: 32 << 20 });
      return stdout;
    } catch (error) {
      const { stderr } = error as { stderr?: string };
      throw new Error(`helm ${args[0]}: ${stderr || messageOf(error)}`, { cause: error });
    }
  };
  return {
    run,
    render: async (values, namespace = 'sap-btp-operator') =>
      parseAllDocuments(await run(['template', 'btp', BTP_CHART, '-n', namespace], values)).flatMap(
        (document): KubeObject[] => document.toJS() ?? [],
      ),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
