import type { Extender, PatchInput } from '../model/extender.ts';

/** The credentials of the account at the provider. */
export const credentials: Extender = ({ spec: { shoot } }) => ({
  spec: { secretBindingName: shoot.secretBindingName },
});

/** A Shoot whose owner has moved it to a CredentialsBinding keeps that one: Gardener has no way back. */
export const patchCredentials: Extender<PatchInput> = (input) =>
  input.live.spec?.credentialsBindingName === undefined ? credentials(input) : {};
