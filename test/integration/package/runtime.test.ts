import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readDockerArchive, writeDockerArchive } from '../../../hack/xpkg/images/docker-archive.ts';
import type { ContainerImage } from '../../../hack/xpkg/images/image.ts';
import { namespaces } from '../../../internal/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { type Containers, noContainersBecause, unpack } from '../harness/provider/container.ts';
import { nodeBaseImage } from '../harness/provider/node-base-image.ts';
import { installedProviderAccount } from '../harness/provider/provider-account.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** An image of 100 MB is built and unpacked, possibly on a busy machine. */
jest.setTimeout(300_000);
/** Pod and container security context of the generated Deployment. */
const USER = '2000:2000';

const reason = noContainersBecause();

if (reason !== undefined) {
  test.todo(`containers cannot be run here: ${reason}`);
} else {
  describe('the package’s own image, as the Deployment of Crossplane runs it', () => {
    let folder: string;
    let image: ContainerImage;
    let containers: Containers;
    let environment: TestEnvironment;
    const pod = uniqueName('crossplane-system');
    const revision = 'provider-kyma-0123456789ab';

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'runtime-'));
      const base = join(folder, 'base.tar');
      await writeFile(base, await writeDockerArchive(await nodeBaseImage()));
      const args = ['hack/xpkg/main.ts', '--base-image', base, '--output', folder];
      execFileSync(process.execPath, args, { cwd: ROOT });
      const [built] = await readDockerArchive(await readFile(join(folder, 'provider-kyma.xpkg')));
      if (built === undefined) throw new Error('the package has no image');
      image = built;
      containers = await unpack(image);
      environment = await startTestEnvironment();
      await environment.provider.stop();
      await environment.management.apply(namespaces, namespaceManifest(pod));
      await makeVolumes();
    });
    afterAll(async () => {
      await containers?.stop();
      await environment?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    /** The Secrets and the service account that the kubelet would mount. */
    async function makeVolumes(): Promise<void> {
      const { management } = environment.planes;
      const { token } = await installedProviderAccount(management, { namespace: pod, name: revision });
      const volume = async (name: string, files: Readonly<Record<string, string>>) => {
        await mkdir(join(folder, name), { recursive: true });
        for (const [file, text] of Object.entries(files)) await writeFile(join(folder, name, file), text);
      };
      const ca = await readFile(join(management.directory, 'ca.crt'), 'utf8');
      await volume('account', { token, 'ca.crt': ca, namespace: pod });
      await volume('server', { 'tls.crt': '', 'tls.key': '', 'ca.crt': '' });
      await volume('client', { 'tls.crt': '', 'tls.key': '', 'ca.crt': '' });
      await volume('trust', { 'hana.pem': environment.simulator.caCertificate });
    }

    const start = (name: string, more: { command?: readonly string[]; args?: readonly string[] } = {}) => {
      const { hostname, port } = new URL(environment.planes.management.server);
      return containers.run({
        name,
        user: USER,
        env: {
          POD_NAMESPACE: pod,
          PROVIDER_NAME: 'provider-kyma',
          REVISION_NAME: revision,
          REVISION_UID: '5d8dcd1b-26ad-4c3f-8e2b-1a3a5d3f2b11',
          TLS_CLIENT_CERTS_DIR: '/tls/client',
          TLS_SERVER_CERTS_DIR: '/tls/server',
          WEBHOOK_TLS_CERT_DIR: '/tls/server',
          KUBERNETES_SERVICE_HOST: hostname,
          KUBERNETES_SERVICE_PORT: port,
          // A DeploymentRuntimeConfig of this test: it has the host's network, and a HANA Cloud on it.
          METRICS_BIND_ADDRESS: '127.0.0.1:0',
          HEALTH_PROBE_BIND_ADDRESS: '127.0.0.1:0',
          PROVIDER_KYMA_WATCH_LABEL_SELECTOR: environment.selector,
          ALLOW_PRIVATE_ENDPOINTS: 'true',
          NODE_EXTRA_CA_CERTS: '/trust/hana.pem',
        },
        mounts: [
          { from: join(folder, 'account'), to: '/var/run/secrets/kubernetes.io/serviceaccount' },
          { from: join(folder, 'server'), to: '/tls/server' },
          { from: join(folder, 'client'), to: '/tls/client' },
          { from: join(folder, 'trust'), to: '/trust' },
        ],
        ...more,
      });
    };

    test('has user 2000, no home, and a root file system that cannot be written', async () => {
      const code = `
        const { writeFileSync, existsSync } = require('node:fs');
        const write = (folder) => { try { writeFileSync(folder + '/x', ''); return 'written'; } catch (e) { return e.code; } };
        console.log(JSON.stringify({
          uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), home: process.env.HOME ?? null,
          root: write(''), tmp: write('/tmp'), shell: existsSync('/bin/sh'),
        }));`;
      const container = await start('look', { command: ['/nodejs/bin/node', '-e', code] });

      expect(await container.gone).toBe('it ended with 0');
      expect(JSON.parse(container.output())).toEqual({
        uid: 2000,
        gid: 2000,
        groups: [2000],
        home: null,
        root: 'EROFS',
        tmp: 'EROFS',
        shell: false,
      });
      expect(image.config.config?.User).toBe(USER);
    });

    test('makes a mapping Ready with no arguments and Crossplane’s permissions, and exits cleanly', async () => {
      const container = await start('provider');
      const scenario = await environment.scenario();
      await scenario.createReady();

      expect(scenario.mappings()).toHaveLength(1);
      const { body } = await environment.planes.management.request(
        `/apis/coordination.k8s.io/v1/namespaces/${pod}/leases`,
      );
      expect((body as { items: { metadata: { name: string } }[] }).items).toEqual([
        expect.objectContaining({
          metadata: expect.objectContaining({
            name: expect.stringMatching(/^crossplane-leader-election-provider-kyma/),
          }),
        }),
      ]);
      container.signal('SIGTERM');
      expect(await container.gone).toBe('it ended with 0');
      expect(container.output()).not.toMatch(/EROFS|EACCES|ENOENT/);
    });

    test('takes the arguments of a DeploymentRuntimeConfig as flags', async () => {
      const container = await start('flags', { args: ['--poll=soon'] });

      expect(await container.gone).toBe('it ended with 2');
      await eventually(() => expect(container.output()).toMatch(/--poll.*soon/));
    });
  });
}
