import { tool } from '../../environment/tool.ts';
import { kindCluster } from './kind.ts';
import { nodeCluster } from './node.ts';
import type { TestCluster } from './test-cluster.ts';

/** @param on `kind` or `node`; default: kind where Docker runs */
export async function chooseCluster(
  on: string | undefined,
  { name, report }: { readonly name: string; readonly report: (line: string) => void },
): Promise<TestCluster> {
  switch (on ?? ((await dockerRuns()) ? 'kind' : 'node')) {
    case 'kind':
      return kindCluster(name);
    case 'node':
      return nodeCluster({ report });
    default:
      throw new Error(`--on is ${on}: it is kind or node`);
  }
}

const dockerRuns = (): Promise<boolean> =>
  tool('docker', ['version']).then(
    () => true,
    () => false,
  );
