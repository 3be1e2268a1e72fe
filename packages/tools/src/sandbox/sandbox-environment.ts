/** The environment of sandboxed commands. An allow-list, because the names of all secrets cannot be listed. */

import { QUIET_ENVIRONMENT, QUIET_SETTINGS, type Environment } from "@runahead/base";

const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|COLUMNS|LINES|CI|NODE_ENV|NODE_VERSION|DEBIAN_FRONTEND|MANPATH|INFOPATH|PKG_CONFIG_PATH|LD_LIBRARY_PATH|CC|CXX|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|MAKEFLAGS|GOPATH|GOROOT|GOCACHE|GOMODCACHE|GOBIN|GOFLAGS|GOOS|GOARCH|CGO_ENABLED|CARGO_HOME|CARGO_TARGET_DIR|RUSTUP_HOME|RUSTUP_TOOLCHAIN|RUSTFLAGS|RUST_BACKTRACE|RUST_LOG|JAVA_HOME|JDK_HOME|GRADLE_HOME|GRADLE_USER_HOME|MAVEN_HOME|M2_HOME|ANDROID_HOME|ANDROID_SDK_ROOT|PYTHONPATH|PYTHONHOME|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONUTF8|PYTHONHASHSEED|PYENV_ROOT|VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV|CONDA_EXE|PIPX_HOME|UV_CACHE_DIR|GEM_HOME|GEM_PATH|BUNDLE_PATH|RBENV_ROOT|RBENV_VERSION|NVM_DIR|NVM_BIN|NODE_PATH|FNM_DIR|VOLTA_HOME|PNPM_HOME|BUN_INSTALL|DENO_DIR|ASDF_DIR|ASDF_DATA_DIR|MISE_DATA_DIR|SDKMAN_DIR|DOTNET_ROOT|DOTNET_CLI_HOME|NIX_PATH|NIX_PROFILES|NIX_SSL_CERT_FILE|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|XDG_(?:CONFIG|CACHE|DATA|STATE)_HOME|XDG_(?:CONFIG|DATA)_DIRS|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|PLAYWRIGHT_BROWSERS_PATH|PUPPETEER_CACHE_DIR)$/;
/** npm passes its settings as variables, including registry URLs and tokens. */
const PASSED_NPM =
  /^npm_config_(?:cache|prefix|globalconfig|userconfig|node_gyp|loglevel|color|progress|fund|audit|offline|prefer_offline|user_agent|engine_strict|save_exact|legacy_peer_deps|yes|ignore_scripts)$/i;

/** Returns the variables that are known to hold no secret, and those named in the settings. */
export function sandboxEnvironment(env: Environment, passed: readonly string[] = []): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        passed.includes(name) ||
        // Such a value is an exported function of an old bash.
        ((PASSED.test(name) || PASSED_NPM.test(name)) && value?.startsWith("()") !== true),
    ),
  );
}

/** Additional variables for commands that only read. They avoid needless write attempts; the mounts enforce read-only. */
export function readingEnvironment(temporary: string): Environment {
  const settings = QUIET_SETTINGS.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return {
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(QUIET_SETTINGS.length),
    ...QUIET_ENVIRONMENT,
    PAGER: "cat",
    TMPDIR: temporary,
  };
}

/** Variables that make the dynamic loader run code in every program. */
const OF_LOADER = /^(?:LD_|GLIBC_TUNABLES$|GCONV_PATH$)/;

/**
 * bubblewrap itself runs outside the sandbox, so it must not start with variables that load code. Those are set with
 * its options, only for the command.
 */
export function splitEnvironment(env: Environment): {
  readonly outside: Environment;
  readonly inside: readonly string[];
} {
  const all = Object.entries(env);
  return {
    outside: Object.fromEntries(all.filter(([name]) => !OF_LOADER.test(name))),
    inside: all.flatMap(([name, value]) =>
      OF_LOADER.test(name) && value !== undefined ? ["--setenv", name, value] : [],
    ),
  };
}
