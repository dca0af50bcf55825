import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with a prepared version of Kyma, so that nothing is fetched. */
export interface KymaWorkspace {
  readonly folder: string;
  /** Replaces the chart of a component. @param files templates and other files of the chart, by path */
  chart(component: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Replaces a file of the version, by path. */
  write(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export const KYMA_VERSION = '2.0.0';

/** @param parent a folder for it; default: that of temporary files */
export async function createKymaWorkspace(parent = tmpdir()): Promise<KymaWorkspace> {
  const folder = await mkdtemp(join(parent, 'kyma-workspace-'));
  const version = join(folder, KYMA_VERSION);
  const write = async (path: string, text: string) => {
    const file = join(version, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await mkdir(join(version, 'installation/resources/crds'), { recursive: true });
  await mkdir(join(version, 'resources'), { recursive: true });
  await write('workspace-ready.yaml', '');
  return {
    folder,
    write,
    chart: async (component, files) => {
      const chart = join('resources', component);
      await rm(join(version, chart), { recursive: true, force: true });
      await write(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${component}\nversion: 1.0.0\n`);
      for (const [path, text] of Object.entries(files)) await write(join(chart, path), text);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
