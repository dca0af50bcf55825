import { createSecureRandom } from '../../../../../framework/base/random.ts';
import { secrets } from '../../../../../framework/kube/object/resource-type.ts';
import type { ActionContext } from '../../model/actions.ts';
import { secretText } from '../common/fields.ts';
import { findObject } from '../common/objects.ts';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 16;

/** The password of the release, from the Secret of its chart; a new one if there is none. */
export async function passwordOf(
  context: Pick<ActionContext, 'cluster' | 'signal'>,
  release: string,
  namespace: string,
): Promise<string> {
  const secret = await findObject(context, secrets, { name: `vmuser-rmi-${release}`, namespace });
  const known = secret === undefined ? undefined : secretText(secret, 'password');
  return known === undefined || known === '' ? newPassword() : known;
}

function newPassword(): string {
  const random = createSecureRandom();
  return Array.from({ length: LENGTH }, () => LETTERS.charAt(Math.floor(random() * LETTERS.length))).join('');
}
