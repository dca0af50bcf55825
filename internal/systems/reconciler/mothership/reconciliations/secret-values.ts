import type { NamedValue } from '../../../../framework/base/index.ts';

import type { Component } from '../model/cluster.ts';

/** A short one may be an ordinary word, such as `true`: it is masked only where it stands as the value of its key. */
export type SecretValue = string | NamedValue;

/** A longer text is masked wherever it is, since it is marked. In characters. */
const SHORT = 8;

/** Texts in the values that a registration marks as secret: a component reconciler gets them, and may quote them. */
export const secretValuesOf = ({ configuration }: Pick<Component, 'configuration'>): SecretValue[] =>
  configuration.flatMap(({ key, value, secret }) =>
    secret ? textsIn(value).map((text) => (text.length < SHORT ? { name: key, value: text } : text)) : [],
  );

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
