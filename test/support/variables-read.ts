import { homeOf, parseSettings, serverConfig, type ServerConfig } from '#libs/config';

/** The SDK of S3 reads its credentials itself, the API's own main the token, and commands of runs their HOME. */
const readElsewhere = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'RUNYARD_DEV_TOKEN', 'HOME'];

/** What a server makes of these variables, and those of them that nobody reads. Throws when a server would not start. */
export function configuredBy(variables: Record<string, string>): { config: ServerConfig; unread: string[] } {
  const read = new Set<string | symbol>(readElsewhere);
  const env = new Proxy(
    { RUNYARD_HOME: '/data', ...variables },
    {
      get(target, name) {
        read.add(name);
        return Reflect.get(target, name) as string | undefined;
      },
    },
  );
  const config = serverConfig(homeOf(env), parseSettings('', 'defaults'), env);
  return { config, unread: Object.keys(variables).filter((name) => !read.has(name)) };
}
