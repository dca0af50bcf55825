/** The requests of the life of a Runtime at which the process is killed. */
import { campaign } from '../../campaign/campaign.ts';
import type { ProxiedRequest } from '../harness/api-proxy/proxy-rules.ts';

export type Phase = 'creation' | 'rotation' | 'change' | 'deletion' | 'configuration';
export type Place = 'management' | 'garden' | 'runtime';

export interface Step {
  readonly phase: Phase;
  readonly title: string;
  readonly at: Place;
  readonly sends: (request: ProxiedRequest) => boolean;
}

export interface Point extends Step {
  readonly when: 'before' | 'after';
  /** Of the Runtime. Each phase has the same ones: another Runtime costs Gardener the key of its kubeconfig. */
  readonly name: string;
}

/** @param part of the path; `$`: its end */
const sends = (method: string, part: string, text = '') => {
  const ofPath = (path: string) =>
    part.endsWith('$') ? path.endsWith(part.slice(0, -1)) : path.includes(part);
  return (request: ProxiedRequest) =>
    request.method === method && ofPath(request.path) && request.body.includes(text);
};
const puts = (part: string) => (request: ProxiedRequest) =>
  sends('PUT', part)(request) && !request.path.endsWith('/status');
const status = (part: string, text?: string) => (request: ProxiedRequest) =>
  sends('PUT', part, text)(request) && request.path.endsWith('/status');

const inManagement = (phase: Phase, title: string, of: Step['sends']): Step => ({
  ...{ phase, title, at: 'management', sends: of },
});
const inGarden = (phase: Phase, title: string, of: Step['sends']): Step => ({
  ...{ phase, title, at: 'garden', sends: of },
});
const inRuntime = (phase: Phase, title: string, of: Step['sends']): Step => ({
  ...{ phase, title, at: 'runtime', sends: of },
});

const steps: readonly Step[] = [
  inManagement('creation', 'the finalizer', puts('/runtimes')),
  inManagement('creation', 'the first condition', status('/runtimes')),
  inGarden('creation', 'the creation of the Shoot', sends('POST', '/shoots$')),
  inManagement('creation', 'the creation of the GardenerCluster', sends('POST', '/gardenerclusters')),
  inGarden('creation', 'the first kubeconfig', sends('POST', '/adminkubeconfig$')),
  inManagement('creation', 'the creation of the Secret', sends('POST', '/secrets')),
  inManagement('creation', 'the condition of the GardenerCluster', status('/gardenerclusters')),
  inManagement('creation', 'the condition of a Ready Runtime', status('/runtimes', '"state":"Ready"')),
  inGarden('rotation', 'the next kubeconfig', sends('POST', '/adminkubeconfig$')),
  inManagement('rotation', 'the update of the Secret', puts('/secrets')),
  inManagement('rotation', 'the removal of the annotation', puts('/gardenerclusters')),
  inManagement('rotation', 'the condition of the rotation', status('/gardenerclusters')),
  inGarden('change', 'the update of the Shoot', sends('PUT', '/shoots')),
  inManagement('change', 'the condition', status('/runtimes')),
  inManagement('deletion', 'the deletion of the GardenerCluster', sends('DELETE', '/gardenerclusters')),
  inManagement('deletion', 'the deletion of the Secret', sends('DELETE', '/secrets')),
  inGarden('deletion', 'the confirmation', sends('PATCH', '/shoots')),
  inGarden('deletion', 'the deletion of the Shoot', sends('DELETE', '/shoots')),
  inManagement('deletion', 'the removal of the finalizer', puts('/runtimes')),
  inRuntime('configuration', 'another issuer', sends('PATCH', '/openidconnects')),
  inRuntime('configuration', 'the removal of an issuer', sends('DELETE', '/openidconnects')),
  inRuntime('configuration', 'another administrator', sends('POST', '/clusterrolebindings')),
  inRuntime('configuration', 'the removal of an administrator', sends('DELETE', '/clusterrolebindings')),
];

const { long } = campaign({ seed: 0, runs: 1 });

/** Before and after each request; in `make test` before and after in turn. */
const sides = steps.flatMap((step, index) =>
  (['before', 'after'] as const)
    .filter((_, side) => long || side === index % 2)
    .map((when) => ({ ...step, when })),
);

export const pointsOf = (phase: Phase): readonly Point[] =>
  sides
    .filter((side) => side.phase === phase)
    // No name is part of another one.
    .map((side, index) => ({ ...side, name: `k${index}-killed` }));
