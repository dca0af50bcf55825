import { tool } from '../../environment/tool.ts';

/** Crossplane pulls packages itself: it takes those of a registry from another place. */
export async function rewriteRegistry(host: string, place: string): Promise<void> {
  const imageConfig = {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name: `e2e-${host.replaceAll(/[^a-z0-9]/g, '-')}` },
    spec: {
      matchImages: [{ type: 'Prefix', prefix: `${host}/` }],
      rewriteImage: { prefix: `${place}/` },
    },
  };
  await tool('kubectl', ['apply', '--server-side', '--filename', '-'], {
    input: JSON.stringify(imageConfig),
  });
}
