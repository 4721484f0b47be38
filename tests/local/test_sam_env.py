from local.sam_env import environment_file
from local.template import Template


def test_every_function_gets_the_template_s_settings_and_the_emulator_as_the_container_sees_it() -> None:
    template = Template()
    made = environment_file("http://local-key@127.0.0.1:4711")
    assert set(made) == set(template.functions)
    for variables in made.values():
        assert variables["AWS_ENDPOINT_URL"] == "http://host.docker.internal:4711"
        assert variables["AWS_ACCESS_KEY_ID"] == "local-key"
        assert template.environment.items() <= variables.items()
