import type { Extension } from './extension.ts';

/** Lets the runtime trust further issuers of tokens. */
export const oidcService = (): Extension => ({ type: 'shoot-oidc-service', disabled: false });
