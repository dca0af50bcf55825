import type { Deps } from '../../../../framework/base/deps.ts';
import { trimTrailing } from '../../../../framework/base/text/text.ts';
import { readCertificates } from '../../../../framework/process/server/server-tls.ts';
import type { Site } from '../api/http/create-listener.ts';
import { openIssuer } from '../api/login/issuer.ts';
import { type Login, openLogin } from '../api/login/login.ts';
import type { MothershipFlags } from '../config/start-flags.ts';
import { sessionAuthorization } from '../page/page-cookie.ts';
import { readPageFiles } from '../page/page-files.ts';
import { createPageSite } from '../page/page-site.ts';

export interface AccessOptions {
  readonly flags: MothershipFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pageFolder?: string;
}

/** Who may send requests, and the page for operators. */
export interface Access {
  readonly login: Login;
  readonly site: Site | undefined;
  close(): Promise<void>;
}

export async function openAccess(
  { flags, env, pageFolder }: AccessOptions,
  { clock, log, baseUrl }: Pick<Deps, 'clock' | 'log'> & { readonly baseUrl: string },
): Promise<Access> {
  const files = await readPageFiles(pageFolder);
  if (flags.oidcIssuerUrl === '') {
    const page = files && createPageSite({ files, login: undefined });
    return {
      login: openLogin({ believesXJwt: !flags.login }),
      site: page && { respond: page, authorization: () => undefined },
      close: async () => undefined,
    };
  }
  const [{ createOidcLogin }, { createPageLogin }] = await Promise.all([
    import('../api/login/oidc-login.ts'),
    import('../page/page-login.ts'),
  ]);
  const requests = openIssuer({
    clock,
    trustedCertificates:
      flags.oidcCaFile === '' ? [] : [await readCertificates(flags.oidcCaFile, '--oidc-ca-file')],
    env,
  });
  const loginLog = log.child({ caller: 'login' });
  const login = createOidcLogin({
    clock,
    log: loginLog,
    requests,
    issuer: flags.oidcIssuerUrl,
    audience: flags.oidcClientId,
    usernameClaim: flags.oidcUsernameClaim,
    groupsClaim: flags.oidcGroupsClaim,
    groups: { viewer: flags.viewerGroup, operator: flags.operatorGroup, admin: flags.adminGroup },
  });
  const pageLogin = createPageLogin({
    issuer: flags.oidcIssuerUrl,
    clientId: flags.oidcClientId,
    requests,
    baseUrl: trimTrailing(flags.pageUrl || baseUrl, '/'),
    log: loginLog,
  });
  const page = files && createPageSite({ files, login: pageLogin });
  return {
    login,
    site: page && { respond: page, authorization: sessionAuthorization },
    close: () => requests.close(),
  };
}
