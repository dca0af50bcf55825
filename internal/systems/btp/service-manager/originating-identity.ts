import type { UserInfo } from './service-manager-client.ts';

/** Length of the header, in characters: servers refuse headers of more than 8 KiB or 16 KiB in all. */
const MAX_LENGTH = 4096;

/**
 * The value of X-Originating-Identity: compact JSON, without encoding. Characters outside of ASCII are escaped, since a
 * header cannot contain them. Without `extra`, then without groups, if it is too long; undefined if it still is, or if
 * there is no user.
 */
export function originatingIdentity(user: UserInfo | undefined): string | undefined {
  if (user === undefined) return undefined;
  const { username, uid, groups, extra } = user;
  const identity = { ...(username ? { username } : {}), ...(uid ? { uid } : {}) };
  const withGroups = { ...identity, ...(groups?.length ? { groups } : {}) };
  const whole = { ...withGroups, ...(extra && Object.keys(extra).length > 0 ? { extra } : {}) };
  if (Object.keys(whole).length === 0) return undefined;
  return [whole, withGroups, identity].map(asciiJson).find((text) => text.length <= MAX_LENGTH);
}

function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
