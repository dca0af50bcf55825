/** Charts of this repository as dependencies of another chart, with a condition and global values. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { documentsOf, renderChart } from '../../internal/templates/helm/index.ts';

const image = { repository: 'registry.example.org/org/provider-kyma' };
const charts = {
  btp: { manager: { image, secret: { enabled: false } } },
  'infrastructure-manager': { image, gardener: { projectName: 'kyma' } },
  reconciler: {
    image,
    login: { mesh: true },
    database: { embedded: { enabled: true } },
    mothership: { replicas: 1 },
    encryptionKeySecret: { name: 'key' },
    componentTokenSecret: { name: 'token' },
  },
};

const CONTENT = '{Chart.yaml,values.yaml,values.schema.json,templates/**/*.*,files/**/*.*}';

async function filesOf(folder: string) {
  const root = join(import.meta.dirname, '../../package', folder, 'chart');
  const names: string[] = [];
  for await (const name of glob(CONTENT, { cwd: root })) names.push(name);
  return Promise.all(names.map(async (name) => ({ name, data: await readFile(join(root, name)) })));
}

test.each(Object.entries(charts))(
  'the chart of %s is rendered if its condition is true',
  async (folder, values) => {
    const files = await filesOf(folder);
    const found = files.find(({ name }) => name === 'Chart.yaml');
    const { name, version } = parse(String(found?.data));
    const dependency = { name, version, condition: `${name}.enabled` };
    const parent = { apiVersion: 'v2', name: 'umbrella', version: '1.0.0', dependencies: [dependency] };
    const render = (enabled: boolean) =>
      documentsOf(
        renderChart({
          files: [
            { name: 'Chart.yaml', data: Buffer.from(stringify(parent)) },
            ...files.map((file) => ({ ...file, name: `charts/${name}/${file.name}` })),
          ],
          values: {
            global: { domain: 'example.org' },
            [name]: { ...values, enabled, global: { of: 'chart' } },
          },
          release: { name: 'r', namespace: 'n' },
        }),
      );
    expect(render(true).length).toBeGreaterThan(3);
    expect(render(false)).toEqual([]);
  },
);
