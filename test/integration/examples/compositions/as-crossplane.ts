import { expect } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import {
  type CompositionExample,
  readObjects,
  renderedPath,
  type Stage,
} from '../../../compositions/stages.ts';

/** A composite resource with the status that its functions made. */
interface Rendered extends KubeObject {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

/** What Crossplane asks of an API server: server-side apply with strict validation. */
export interface AsCrossplane {
  apply(object: KubeObject): Promise<KubeObject>;
  /** Applies a rendered resource, owned by the composite resource, which exists. */
  compose(rendered: KubeObject, composite: KubeObject): Promise<KubeObject>;
  /**
   * Applies the rendered status of the composite resource, and returns the status of each of its conditions by type;
   * throws where the API server changes or refuses it.
   */
  applyStatus(example: CompositionExample, stage: Stage): Promise<Readonly<Record<string, string>>>;
  delete(object: KubeObject): Promise<void>;
}

export function asCrossplane({ request }: Pick<ControlPlaneAccess, 'request'>): AsCrossplane {
  async function send(method: 'PATCH' | 'DELETE', object: KubeObject, subresource = ''): Promise<KubeObject> {
    const { name, namespace } = object.metadata;
    const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const plural = `${object.kind.toLowerCase()}s`;
    const query = method === 'PATCH' ? '?fieldManager=crossplane&force=true&fieldValidation=Strict' : '';
    const path = `/apis/${object.apiVersion}${within}/${plural}/${name}${subresource}${query}`;
    const { status, body } = await request(path, {
      method,
      ...(method === 'PATCH' ? { contentType: 'application/apply-patch+yaml', body: object } : {}),
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body as KubeObject;
  }

  return {
    apply: (object) => send('PATCH', object),
    compose: (rendered, composite) => {
      const ownerReferences = rendered.metadata.ownerReferences?.map((owner) => ({
        ...owner,
        uid: composite.metadata.uid ?? '',
      }));
      const metadata = { ...rendered.metadata, ...(ownerReferences ? { ownerReferences } : {}) };
      return send('PATCH', { ...rendered, metadata });
    },
    applyStatus: async (example, stage) => {
      const [rendered] = (await readObjects(renderedPath(example.name, stage))) as [Rendered];
      const { apiVersion, kind, status } = rendered;
      const { name, namespace } = rendered.metadata;
      const metadata = namespace === undefined ? { name } : { name, namespace };
      const applied = await send('PATCH', { apiVersion, kind, metadata, status } as Rendered, '/status');
      expect(applied).toMatchObject({ apiVersion, kind, status });
      const stored = (applied as Rendered).status.conditions.map((each) => [each.type, each.status]);
      return Object.fromEntries(stored);
    },
    delete: async (object) => {
      await send('DELETE', object);
    },
  };
}
