import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { AuditEvent, ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import { providerEnvironment, runProvider } from '../../../../hack/demo/provider/provider-command.ts';
import { uniqueName } from '../control-planes/control-planes.ts';

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CliRunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: this file's own user, an admin of the management cluster. */
  readonly kubeconfigPath?: string;
}

/**
 * The bundle as users and pipelines run it: a process of its own with a user of its own, so its requests can be
 * identified.
 */
export interface Cli {
  run(args: readonly string[], options?: CliRunOptions): Promise<CliResult>;
  /** Writes manifests into a file, one document each, and returns its path. */
  file(...manifests: readonly unknown[]): Promise<string>;
  /** Makes a user of the cluster and returns the path of its kubeconfig. */
  user(plane: ControlPlaneAccess, name: string, groups?: readonly string[]): Promise<string>;
  /** Requests of its user that are no reads: `patch /apis/…`. Dry runs are marked. */
  changes(): Promise<{ readonly real: string[]; readonly dry: string[] }>;
  stop(): Promise<void>;
}

export async function createCli(management: ControlPlaneAccess, caCertificate: string): Promise<Cli> {
  const folder = await mkdtemp(join(tmpdir(), 'kyma-cli-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, caCertificate);
  const users = new Map<string, ControlPlaneAccess>();
  const user: Cli['user'] = async (plane, name, groups) => {
    const path = join(folder, `${name}.kubeconfig`);
    await writeFile(path, await plane.addUser({ name, ...(groups ? { groups } : {}) }), { mode: 0o600 });
    users.set(name, plane);
    return path;
  };
  const admin = await user(management, uniqueName('cli'), ['system:masters']);
  return {
    user,
    file: async (...manifests) => {
      const path = join(folder, `${uniqueName('manifests')}.yaml`);
      const documents = manifests.map((each) => (typeof each === 'string' ? each : stringify(each)));
      await writeFile(path, documents.join('---\n'));
      return path;
    },
    run: (args, { stdin = '', env = {}, kubeconfigPath = admin } = {}) =>
      runProvider(args, {
        stdin,
        cwd: folder,
        env: {
          ...providerEnvironment(caFile, { PATH: process.env.PATH, HOME: folder }),
          KUBECONFIG: kubeconfigPath,
          ALLOW_PRIVATE_ENDPOINTS: 'true',
          // That of the run: the one in HOME would be new for each file.
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          ...env,
        },
      }),
    changes: async () => {
      const events = await Promise.all(
        [...users].map(async ([name, plane]) =>
          (await plane.auditEvents(name)).filter(({ user }) => user.username === name),
        ),
      );
      const reads = ['get', 'list', 'watch'];
      const own = events.flat().filter(({ verb }) => !reads.includes(verb));
      const reported = ({ verb, requestURI }: AuditEvent) => `${verb} ${requestURI}`;
      const isDry = ({ requestURI }: AuditEvent) =>
        new URL(requestURI, 'https://x').searchParams.getAll('dryRun').join() === 'All';
      return {
        real: own.filter((event) => !isDry(event)).map(reported),
        dry: own.filter(isDry).map(reported),
      };
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
