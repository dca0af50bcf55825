import type { Extender, PatchInput } from '../model/extender.ts';

/** The credentials of the account at the provider, by one of two kinds of bindings. */
export const credentials: Extender = ({ spec: { shoot }, configuration }) => ({
  spec: configuration.converter.gardener.enableCredentialBinding
    ? { credentialsBindingName: shoot.secretBindingName }
    : { secretBindingName: shoot.secretBindingName },
});

/** A Shoot that has a CredentialsBinding keeps it without the switch too: Gardener has no way back. */
export const patchCredentials: Extender<PatchInput> = (input) => {
  const { enableCredentialBinding } = input.configuration.converter.gardener;
  const credentialsBindingName = input.live.spec?.credentialsBindingName;
  return credentialsBindingName === undefined || enableCredentialBinding
    ? credentials(input)
    : { spec: { credentialsBindingName } };
};
