import type { Rollouts } from '../../model/mothership.ts';
import type { ApiRequest, Route } from '../request/api-request.ts';
import { rolloutShape } from '../shapes/reconciliation-shapes.ts';
import { required } from './parameters.ts';

/** For records of what an unknown user did. */
const UNKNOWN_USER = 'unknown';

export function rolloutRoutes({ rollouts }: { readonly rollouts: Rollouts }): readonly Route[] {
  const list = async () => ({ body: (await rollouts.list()).map(rolloutShape) });
  const resume = async (request: ApiRequest) => {
    const user = request.caller.user ?? UNKNOWN_USER;
    return { body: rolloutShape(await rollouts.resume(required(request, 'id'), user)) };
  };
  return [
    { method: 'GET', path: '/rollouts', access: 'viewer', handle: list },
    { method: 'POST', path: '/rollouts/:id/resume', access: 'admin', audited: true, handle: resume },
  ];
}
