// Login form: authentication by bearer token.
import { useSignal } from "@preact/signals";
import { logIn, loginRefused } from "./session.ts";
import { TellStatus } from "./told-status.tsx";

export function Login() {
  const token = useSignal("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void logIn(token.value);
    token.value = "";
  };
  return (
    <form class="login" onSubmit={submit}>
      <h1>Who are you?</h1>
      <p>
        This server asks who looks. <code>egret ui</code> opens the page for you by a link; or show a token,
        such as that of your kubeconfig:
      </p>
      {loginRefused.value && <TellStatus status={loginRefused.value} what="Not logged in" />}
      <label>
        Token
        <input
          required
          type="password"
          autoComplete="off"
          value={token}
          onInput={({ currentTarget }) => (token.value = currentTarget.value)}
        />
      </label>
      <button type="submit" class="main">
        Log in
      </button>
    </form>
  );
}
