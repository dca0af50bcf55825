import { ownMember } from '../../../../framework/base/json/json-field.ts';
import { labels } from '../../labels.ts';
import type { Extender } from '../model/extender.ts';

/** Who the Shoot is for. */
export const accountLabels: Extender = ({ runtime: { metadata } }) => ({
  labels: {
    account: ownMember(metadata.labels, labels.globalAccountId) ?? '',
    subaccount: ownMember(metadata.labels, labels.subaccountId) ?? '',
  },
});
