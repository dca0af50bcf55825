/** Runs `helm` on the charts of this repository. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { ensureHelm, type HelmMajor } from '../../hack/helm/helm.ts';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';

export const BTP_CHART = join(import.meta.dirname, '../../package/btp/chart');
export const INFRASTRUCTURE_MANAGER_CHART = join(
  import.meta.dirname,
  '../../package/infrastructure-manager/chart',
);

export const RECONCILER_CHART = join(import.meta.dirname, '../../package/reconciler/chart');

/** Why there is no Helm on this machine; undefined if there is one. @param major default 4 */
export async function noHelmBecause(major: HelmMajor = 4): Promise<string | undefined> {
  try {
    await ensureHelm({ major, report: (line) => process.stderr.write(`helm: ${line}\n`) });
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

export interface HelmOptions {
  /** Default 4. */
  readonly major?: HelmMajor;
  /** Of the cluster, for commands that need one. */
  readonly kubeconfigPath?: string;
  /** Folder or archive; default: that of the SAP BTP service operator. */
  readonly chart?: string;
}

export async function openHelm(options: HelmOptions = {}): Promise<Helm> {
  const { major = 4, kubeconfigPath, chart = BTP_CHART } = options;
  const binary = await ensureHelm({ major });
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
      parseAllDocuments(await run(['template', 'btp', chart, '-n', namespace], values)).flatMap(
        (document): KubeObject[] => document.toJS() ?? [],
      ),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
