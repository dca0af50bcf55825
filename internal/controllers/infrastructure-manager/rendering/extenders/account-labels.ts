import { ownMember } from '../../../../base/json/json-field.ts';
import type { Extender } from '../model/extender.ts';
import { labels } from '../model/labels.ts';

/** Who the Shoot is for. */
export const accountLabels: Extender = ({ runtime: { metadata } }) => ({
  labels: {
    account: ownMember(metadata.labels, labels.globalAccountId) ?? '',
    subaccount: ownMember(metadata.labels, labels.subaccountId) ?? '',
  },
});
