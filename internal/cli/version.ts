/** The bundle has the version of package.json written in; run from sources it is `dev`. */
export const version: string = process.env.PROVIDER_KYMA_VERSION ?? 'dev';
