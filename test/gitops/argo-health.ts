/** The health that Argo CD computes with examples/argocd/argocd-cm.yaml. */
import { LuaFactory, LuaLibraries } from 'wasmoon';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { exampleManifests } from './example-manifests.ts';

export interface Health {
  readonly status: string;
  readonly message: string;
}

export interface ArgoHealthChecks {
  /** `group_Kind`, as the keys of the ConfigMap have it. */
  readonly kinds: readonly string[];
  /** Undefined where Argo CD has no check for the kind. */
  healthOf(object: KubeObject): Promise<Health | undefined>;
}

const PREFIX = 'resource.customizations.health.';

export async function argoHealthChecks(): Promise<ArgoHealthChecks> {
  const [settings] = (await exampleManifests('argocd/argocd-cm.yaml')) as (KubeObject & {
    data: Record<string, string>;
  })[];
  const scripts = new Map(
    Object.entries(settings?.data ?? {})
      .filter(([key]) => key.startsWith(PREFIX))
      .map(([key, script]) => [key.slice(PREFIX.length), script]),
  );
  const factory = new LuaFactory();
  return {
    kinds: [...scripts.keys()],
    healthOf: async (object) => {
      const script = scripts.get(`${object.apiVersion.split('/').at(-2)}_${object.kind}`);
      if (script === undefined) return undefined;
      // Tables, as Argo CD makes them, instead of proxies of JavaScript objects; and the libraries that it loads.
      const { global: lua } = await factory.createEngine({ enableProxy: false, openStandardLibs: false });
      try {
        for (const library of [LuaLibraries.Base, LuaLibraries.Table]) lua.loadLibrary(library);
        lua.set('obj', structuredClone(object));
        lua.loadString(script);
        const [health] = await lua.run(0);
        return health;
      } finally {
        lua.close();
      }
    },
  };
}
