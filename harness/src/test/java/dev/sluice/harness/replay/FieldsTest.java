package dev.sluice.harness.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fields of foreign JSON values. */
final class FieldsTest {
  private static final long NS = Long.parseLong("1795341600000000000");

  private static JsonNode json(String text) throws Exception {
    return new JsonMapper().readTree(text.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource({
    "1795341600, 0",
    "1795341600.25, 250000000",
    "1795341600250, 250000000",
    "1795341600000001, 1000",
    "1795341600000000007, 7",
    "'2026-11-22T10:00Z', 0",
    "'2026-11-22T11:00:00.5+01:00', 500000000",
    "'2026-11-22 10:00:00.000000001Z', 1",
  })
  void aTime_isReadInItsUnit(String value, long nsBehind) throws Exception {
    String text = value.contains("T") || value.contains(" ") ? "'" + value + "'" : value;
    assertThat(Fields.parse("time=ts").timeNs(json("{'ts':" + text + "}")))
        .isEqualTo(NS + nsBehind);
  }

  @ParameterizedTest
  @CsvSource({"s, 12000000000", "ms, 12000000", "us, 12000", "ns, 12"})
  void aUnit_canBeTold(String unit, long ns) throws Exception {
    assertThat(Fields.parse("time=a.ts:" + unit).timeNs(json("{'a':{'ts':12}}"))).isEqualTo(ns);
  }

  @ParameterizedTest
  @CsvSource({"{}", "{'ts':null}", "{'ts':'noon'}", "{'ts':{}}", "{'ts':1e300}", "{'ts':true}"})
  void aTimeThatCannotBeRead_isNone(String value) throws Exception {
    assertThat(Fields.parse("time=ts").timeNs(json(value))).isNull();
  }

  @Test
  void otherFields_areTextsAndNumbers() throws Exception {
    Fields fields = Fields.parse("class=tier,workload=m.name,samples=n,slo_ms=slo");
    JsonNode record = json("{'tier':3,'m':{'name':'vit'},'n':4,'slo':0.5}");
    assertThat(fields.text(record, Fields.CLASS)).isEqualTo("3");
    assertThat(fields.text(record, Fields.WORKLOAD)).isEqualTo("vit");
    assertThat(fields.text(record, Fields.BACKEND)).isNull();
    assertThat(fields.samples(record)).isEqualTo(4);
    assertThat(fields.sloNs(record)).isEqualTo(500_000);
    JsonNode wrong = json("{'tier':'','m':'vit','n':1.5,'slo':-1}");
    assertThat(fields.text(wrong, Fields.CLASS)).isNull();
    assertThat(fields.text(wrong, Fields.WORKLOAD)).isNull();
    assertThat(fields.samples(wrong)).isZero();
    assertThat(fields.sloNs(wrong)).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "time|is not of the form NAME=FIELD",
        "time=|is not of the form NAME=FIELD",
        "clas=tier|the name (clas) is unknown",
        "class=a,class=b|the name (class) is given twice",
        "time=ts:min|the unit (min) of time is unknown",
      })
  void mistakes_areNamed(String text, String message) {
    assertThatThrownBy(() -> Fields.parse(text))
        .hasMessageContaining("--fields: error: ")
        .hasMessageContaining(message);
  }
}
