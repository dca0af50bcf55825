import type { Logger } from '../../../../../framework/base/index.ts';

import { bounds } from '../../../operations/json-documents.ts';
import type { Mothership } from '../../model/mothership.ts';
import type { ApiRequest, Route } from '../api-request.ts';
import { bodyFields, readCallback } from '../read-bodies.ts';
import { required } from './parameters.ts';
import { answering } from './reconciliation-routes.ts';

export interface ComponentRoutesOptions extends Pick<Mothership, 'reconciliations' | 'occupancy'> {
  readonly log: Logger;
}

/** In characters of a manifest of a dry run, which is only logged. */
const MAX_LOGGED_MANIFEST = 4096;

/** What component reconcilers call: results of operations, and how busy they are. */
export function componentRoutes({
  reconciliations,
  occupancy,
  log,
}: ComponentRoutesOptions): readonly Route[] {
  const callback = async (request: ApiRequest) => {
    const schedulingId = required(request, 'schedulingID');
    const correlationId = required(request, 'correlationID');
    const { manifest, ...body } = readCallback(request.body());
    if (manifest !== '') {
      log.info('a dry run has ended', {
        'scheduling-id': schedulingId,
        'correlation-id': correlationId,
        manifest: manifest.slice(0, MAX_LOGGED_MANIFEST),
      });
    }
    const token = request.parameter('token');
    const result = await answering({ final: 400 }, () =>
      reconciliations.callback({ ...body, schedulingId, correlationId, token }),
    );
    log.debug('callback', {
      'scheduling-id': schedulingId,
      'correlation-id': correlationId,
      status: body.status,
      result,
    });
    return {};
  };
  const report = async (request: ApiRequest) => {
    const fields = bodyFields(request.body());
    const pool = {
      poolId: required(request, 'poolID'),
      component: fields.requiredText('component', bounds.component),
      runningWorkers: fields.count('runningWorkers'),
      poolSize: fields.count('poolSize'),
    };
    const result = await answering({ mismatch: 500, invalid: 500 }, () => occupancy.report(pool));
    return { status: result === 'created' ? 201 : 200 };
  };
  const remove = async (request: ApiRequest) => {
    await occupancy.remove(required(request, 'poolID'));
    return {};
  };

  return [
    {
      method: 'POST',
      path: '/operations/:schedulingID/callback/:correlationID',
      access: 'callback',
      handle: callback,
    },
    { method: 'POST', path: '/occupancy/:poolID', access: 'component', handle: report },
    { method: 'DELETE', path: '/occupancy/:poolID', access: 'component', handle: remove },
  ];
}
