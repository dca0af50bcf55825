import {
  type AdmissionRequest,
  type AdmissionUser,
  DeniedError,
} from '../../../framework/controller/index.ts';

/** The user in `spec.userInfo`, who is named to Service Manager. */
export const originatorOf = ({ userInfo = {} }: Pick<AdmissionRequest, 'userInfo'>): Originator => {
  const { username, uid, groups, extra } = userInfo;
  return {
    ...(username ? { username } : {}),
    ...(uid ? { uid } : {}),
    ...(groups === undefined || groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra: valuesOf(extra) }),
  };
};

export interface Originator {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

const valuesOf = (extra: NonNullable<AdmissionUser['extra']>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]]));

export const changedUser = 'modifying spec.userInfo is not allowed';

/** Mutating webhooks get objects before their schema is validated. */
export function assertSpec(object: { readonly spec?: unknown }): void {
  const { spec } = object;
  if (typeof spec === 'object' && spec !== null && !Array.isArray(spec)) return;
  throw new DeniedError('cannot decode the object: spec is not an object', { code: 400 });
}
