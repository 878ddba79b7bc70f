/// Logs as drives, scopes and robots write them: preambles, unknown units, other character sets, calculated columns,
/// and a drive's numbers as gains. All are made here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "recording/preparation/prepare.hpp"
#include "recording/recording.hpp"
#include "recording/tables/expression.hpp"

namespace stickslip::foreign_logs_test {
namespace {

constexpr double turn = 2 * std::numbers::pi;

bool has_note(const Recording& r, const std::string& code) {
  for (const Note& note : r.notes)
    if (note.code == code) return true;
  return false;
}

std::string message_for(const std::string& text, const ReadOptions& options = {}) {
  try {
    read_recording(text, "log.csv", options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string rows(const std::string& delimiter, int count = 6, char decimal = '.') {
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (const std::string& cell : {std::to_string(i), std::to_string(100 * i * (6 - i)), std::to_string(1 + 0.5 * i)})
      text += (text.empty() || text.back() == '\n' ? "" : delimiter) + cell;
    text += "\n";
  }
  for (char& c : text)
    if (c == '.') c = decimal;
  return text;
}

// --- names ------------------------------------------------------------------------------------------------------------

/// "1 2 4": the columns of time, position, velocity and force; "-" where there is none.
std::string roles_of(const std::string& headings, const ReadOptions& options = {}) {
  std::string log = headings + "\n", found;
  const auto columns = std::count(headings.begin(), headings.end(), ',') + 1;
  for (int i = 0; i < 8; ++i) {
    log += std::to_string(i);
    for (int k = 1; k < columns; ++k) log += "," + std::to_string(std::sin(0.3 * i + k));
    log += "\n";
  }
  const Recording r = read_recording(log, "log.csv", options);
  for (const Role role : {Role::time, Role::position, Role::velocity, Role::force}) {
    const Source* source = nullptr;
    for (const Source& s : r.sources)
      if (s.role == role) source = &s;
    found += (found.empty() ? "" : " ") + (source ? std::to_string(source->column) : std::string("-"));
  }
  return found;
}

TEST(ForeignLogs, ColumnsAreFoundByTheNamesThatPeopleGive) {
  for (const auto& [headings, roles] :
       std::vector<std::pair<std::string, std::string>>{{"Zeit,Weg,Kraft", "1 2 - 3"},
                                                        {"time (sec),pos (deg),torque (N.m)", "1 2 - 3"},
                                                        {"X_Value,Position,Force", "1 2 - 3"},
                                                        {"TIME,ENC_POS[um],LOAD_CELL[N]", "1 2 - 3"},
                                                        {"Elapsed Time,Displacement,Load", "1 2 - 3"},
                                                        {"t,x,load,force", "1 2 - 4"},
                                                        {"header.stamp,position[0],velocity[0],effort[0]", "1 2 3 4"},
                                                        {"tiempo,posicion,fuerza", "1 2 - 3"},
                                                        {"Time,ActPos,ActVel,ActTrq", "1 2 3 4"},
                                                        {"time,actualPosition,measuredForce", "1 2 - 3"},
                                                        {"Time,q_des,q,dq,tau_cmd,tau_meas", "1 3 4 6"},
                                                        {"t,q1,tau1", "1 2 - 3"},
                                                        {"time_s,joint_1_position_rad,joint_1_torque_Nm", "1 2 - 3"},
                                                        {"Zeit [s],Istposition [deg],Istmoment [Nm]", "1 2 - 3"},
                                                        {"t [s],p1,p2,x [m],F [N]", "1 4 - 5"},
                                                        {"ms,mm,N", "1 2 - 3"},
                                                        {"s,mm,N", "1 2 - 3"}})
    EXPECT_EQ(roles_of(headings), roles) << headings;
}

// What went wrong: "--time ms" was read as seconds, and a mass of 8 kg as 8 007 000 kg, "well determined".
TEST(ForeignLogs, AHeadingThatIsAUnitStatesIt) {
  const std::string log = "ms,pos_um,force_N\n0,1,2\n1,2,3\n2,3,5\n3,5,8\n";
  EXPECT_NEAR(read_recording(log, "log.csv", {}).time[3], 3e-3, 1e-15);
  EXPECT_NEAR(read_recording(log, "log.csv", {.columns = {.time = "ms"}}).time[3], 3e-3, 1e-15);
}

// Of a tribometer the load is normal to the friction, and no force that opposes the motion.
TEST(ForeignLogs, ALoadBesideACoefficientOfFrictionIsNoForce) {
  for (const std::string other : {"COF", "mu", "Friction coefficient"})
    EXPECT_NE(message_for("Time,Position,Load," + other + "\n0,1,2,3\n1,2,3,3\n2,3,4,4\n").find("no column 'force'"),
              std::string::npos)
        << other;
}

// A column that an expression uses is still what its name says: the position, from which the force of a spring is taken off.
TEST(ForeignLogs, AColumnInAnExpressionKeepsItsRole) {
  EXPECT_EQ(roles_of("t [s],x [m],F [N]", {.columns = {.force = "F - 5 N/m * x"}}), "1 2 - 0");
}

// A name of one letter is a name: s may be a distance, m a mass.
TEST(ForeignLogs, OneLetterIsAUnitOnlyWhereEveryHeadingIsOne) {
  EXPECT_NE(message_for("s,x,F\n0,1,2\n1,2,3\n2,3,4\n").find("no column 'time'"), std::string::npos);
}

TEST(ForeignLogs, SpeedsPerMinuteAreRevolutions) {
  for (const std::string unit : {"1/min", "U/min", "min-1", "r/min", "rpm"}) {
    const Recording r =
        read_recording("t [s],Drehzahl [" + unit + "],M [Nm]\n0,0,1\n1,60,2\n2,120,1\n3,30,3\n", "log.csv", {});
    ASSERT_EQ(r.velocity.size(), 4u) << unit;
    EXPECT_NEAR(r.velocity[1], turn, 1e-12) << unit;
    EXPECT_EQ(has_note(r, "turns_per_minute"), unit != "rpm");
  }
}

TEST(ForeignLogs, WholeNumbersWithoutUnitAreSuspectedToBeMilliseconds) {
  std::string whole = "time,x,F\n", stated = "time [s],x,F\n", fine = "time,x,F\n";
  for (int i = 0; i < 60; ++i) {
    const std::string rest = "," + std::to_string(std::sin(0.1 * i)) + "," + std::to_string(std::cos(0.1 * i)) + "\n";
    whole += std::to_string(2 * i) + rest, stated += std::to_string(2 * i) + rest;
    fine += std::to_string(0.25 * i) + rest;
  }
  EXPECT_TRUE(has_note(read_recording(whole, "log.csv", {}), "whole_seconds"));
  EXPECT_FALSE(has_note(read_recording(stated, "log.csv", {}), "whole_seconds"));
  EXPECT_FALSE(has_note(read_recording(fine, "log.csv", {}), "whole_seconds"));
}

// What went wrong: inertia, which comes before its velocity, was called a force that is early by 25 samples.
TEST(ForeignLogs, InertiaIsNoLag) {
  const auto log = [](double inertia, int early) {
    const auto speed = [](double t) { return std::sin(3.1 * t) + 0.4 * std::sin(8.2 * t); };
    const auto rate = [](double t) { return 3.1 * std::cos(3.1 * t) + 3.28 * std::cos(8.2 * t); };
    std::string text = "t [s],v [m/s],F [N]\n";
    for (int i = 0; i < 4000; ++i) {
      const double t = 2e-3 * i, at = t + 2e-3 * early;
      text += std::to_string(t) + "," + std::to_string(speed(t)) + "," +
              std::to_string(2 * speed(at) + inertia * rate(at)) + "\n";
    }
    return text;
  };
  EXPECT_FALSE(has_note(read_recording(log(0.08, 0), "log.csv", {}), "lag"));
  EXPECT_TRUE(has_note(read_recording(log(0, -20), "log.csv", {}), "lag"));
}

TEST(ForeignLogs, WhatIsMissingIsSaidWithTheNextStep) {
  const auto refused = [](const std::string& headings) {
    return message_for(headings + "\n0,1,2,3,4\n1,2,3,4,6\n2,3,4,5,9\n");
  };
  EXPECT_EQ(refused("t,q1,q2,tau1,tau2"),
            "log.csv:1:4: columns of several axes may be the force, the first is 'tau1'; choose with --force, or all "
            "with --axis '*' --force 'tau#'");
  EXPECT_NE(refused("t,pos_mm,a,b,actual_current_mA").find("is a current: --torque-constant"), std::string::npos);
  EXPECT_NE(refused("t,ActPos [mm],a,b,ActTorque [Nm]").find("--pitch '10 mm'"), std::string::npos);
}

// --- preambles --------------------------------------------------------------------------------------------------------

TEST(ForeignLogs, HeadingsAreFoundBelowLinesOfMetadata) {
  const std::string log =
      "Drive studio export\nDevice;EPOS4\nSample rate;1000\nDate;2026-01-02\n\n"
      "Time [ms];Position [mm];Force [N]\n" +
      rows(";");
  const Recording r = read_recording(log, "log.csv", {});
  ASSERT_EQ(r.size(), 6u);
  EXPECT_NEAR(r.time[3], 0.003, 1e-15);
  EXPECT_NEAR(r.position[1], 0.5, 1e-12);
  EXPECT_TRUE(has_note(r, "preamble"));
  EXPECT_EQ(r.first_line, 7u);
}

// What went wrong: the name was taken to be velocity_m, in seconds, and the recording to have no motion.
TEST(ForeignLogs, AUnitWithASlashMayFollowAnUnderscore) {
  const Recording r = read_recording("time_s,velocity_mm/s,force_N\n0,1,2\n1,2,3\n2,3,5\n3,5,8\n", "log.csv", {});
  ASSERT_EQ(r.velocity.size(), 4u);
  EXPECT_NEAR(r.velocity[3], 5e-3, 1e-15);
}

// Keys and numbers in as many cells as the table has are no headings and no samples.
TEST(ForeignLogs, APreambleMayHaveAsManyCellsAsTheTable) {
  const std::string log = "Model,DSO\nRecord length,200\nProbe,10\ntime [s],force [N]\n0,1\n1,2\n2,3\n3,5\n";
  const Recording r = read_recording(log, "log.csv", {});
  ASSERT_EQ(r.size(), 4u);
  EXPECT_EQ(r.force[3], 5);
}

TEST(ForeignLogs, UnitsStandInARowOfTheirOwnBelowAPreamble) {
  const std::string log = "Trace 7\nAxis\tX\n\nTime\tPosition\tTorque\nms\tInkr\tNm\n" + rows("\t", 6, ',');
  const Recording r = read_recording(log, "log.csv", {.gains = {.position = "0.5 mrad/Inkr"}});
  ASSERT_EQ(r.size(), 6u);
  EXPECT_TRUE(r.rotary);
  EXPECT_NEAR(r.position[1], 500 * 0.5e-3, 1e-12);
  EXPECT_NEAR(r.force[1], 1.5, 1e-12);
  EXPECT_TRUE(has_note(r, "unit_from_gain"));
}

// A trace with a time column for each channel.
TEST(ForeignLogs, PairsOfTimeAndChannelAreOneTable) {
  const std::string head =
      "Name;C:\\Traces\\axis.svdx\nFile;axis\n\n"
      "Name;ActPos;Name;ActTorque\nData-Type;REAL64;Data-Type;REAL64\n"
      "SampleTime[ms];1;SampleTime[ms];1\nUnit;mm;Unit;N\n";
  const std::string log = head + "0;10,5;0;1\n1;11;1;2\n2;11,5;2;3\n3;12;3;4\n";
  const Recording r = read_recording(log, "log.csv", {});
  ASSERT_EQ(r.size(), 4u);
  EXPECT_NEAR(r.time[2], 0.002, 1e-15);
  EXPECT_NEAR(r.position[0], 0.0105, 1e-15);
  EXPECT_EQ(r.force[3], 4);
  const std::string other = message_for(head + "0;10,5;0;1\n1;11;1,5;2\n2;11,5;2;3\n3;12;3;4\n");
  EXPECT_NE(other.find("the channels have different times"), std::string::npos) << other;
}

TEST(ForeignLogs, WithoutAPreambleNothingChanges) {
  const Recording r = read_recording("time [s],force [N],state\n0,1,on\n1,2,on\n2,4,off\n", "log.csv", {});
  EXPECT_EQ(r.size(), 3u);
  EXPECT_TRUE(r.notes.empty());
  EXPECT_EQ(message_for("a,b\n1,2\n3,4\n"),
            "log.csv:1:1: no column 'time'; there is a, b; choose with --time or give --rate");
}

// --- character sets ---------------------------------------------------------------------------------------------------

// A table of a program begins with row numbers without a heading, one of a spreadsheet ends with empty cells: both were refused.
TEST(ForeignLogs, ColumnsWithoutANameAreReadUnderTheirNumber) {
  std::string numbered = ",time_s,position_m,force_N\n", trailing = "time_s,position_m,force_N,,\n";
  for (int i = 0; i < 6; ++i) {
    const std::string row = std::to_string(i) + "," + std::to_string(i * (6 - i)) + "," + std::to_string(1 + 0.5 * i);
    numbered += std::to_string(i) + "," + row + "\n", trailing += row + ",,\n";
  }
  for (const std::string& text : {numbered, trailing}) {
    const Recording r = read_recording(text, "log.csv", {});
    EXPECT_EQ(r.time.size(), 6u);
    EXPECT_DOUBLE_EQ(r.position[2], 8);
    EXPECT_DOUBLE_EQ(r.force[2], 2);
    EXPECT_TRUE(has_note(r, "unnamed_column"));
  }
  EXPECT_NE(message_for("time_s,,force_N\n0,1,2\n1,2,3\n2,3,4\n").find("column 2 has no name"), std::string::npos);
}

TEST(ForeignLogs, Windows1252IsReadWithANote) {
  const Recording r = read_recording("Zeit [s];Position [\xb5m];Kraft [N]\n0;1;2\n1;2;3\n2;4;3\n", "log.csv", {});
  EXPECT_NEAR(r.position[1], 2e-6, 1e-18);
  EXPECT_TRUE(has_note(r, "encoding"));
  EXPECT_FALSE(has_note(read_recording("Zeit [s];Position [\xc2\xb5m];Kraft [N]\n0;1;2\n1;2;3\n2;4;3\n", "log.csv", {}),
                        "encoding"));
  // 0x80 is the euro sign there; the rest of a long file is converted as well
  std::string log = "time [s],force [N],remark\n";
  for (int i = 0; i < 60000; ++i) log += std::to_string(i) + "," + std::to_string(i % 7) + ",10 \x80 gr\xfc\xdf\n";
  const Recording longer = read_recording(log, "log.csv", {});
  ASSERT_EQ(longer.size(), 60000u);
  ASSERT_EQ(longer.labels.size(), 1u);
  ASSERT_EQ(longer.labels[0].words.size(), 1u);
  EXPECT_EQ(longer.labels[0].words[0], "10 \xe2\x82\xac gr\xc3\xbc\xc3\x9f");
}

// --- gains ------------------------------------------------------------------------------------------------------------

TEST(ForeignLogs, AGainSaysWhatAnUnknownUnitMeans) {
  const std::string log = "time [s],position [counts],force [Aeff]\n0,0,1\n1,1000,2\n2,3000,2\n";
  const Recording r = read_recording(log, "log.csv", {.gains = {.position = "0.5 um/counts", .force = "12 N/Aeff"}});
  EXPECT_NEAR(r.position[1], 5e-4, 1e-15);
  EXPECT_NEAR(r.force[1], 24, 1e-12);
  const Recording share = read_recording("time [s],position [mm],force [%]\n0,0,1\n1,1,50\n2,3,2\n", "log.csv",
                                         {.gains = {.force = "0.4 N/%"}});
  EXPECT_NEAR(share.force[1], 20, 1e-12);
  EXPECT_EQ(message_for(log, {.gains = {.position = "2"}}),
            "log.csv:1:2: position: the unit 'counts' is unknown; the gain must define it, as in '2 m/counts'");
  EXPECT_NE(message_for(log).find("--position-gain '2 m/counts'"), std::string::npos) << message_for(log);
}

// --- a drive's numbers ------------------------------------------------------------------------------------------------

TEST(ForeignLogs, TorqueConstantGearAndPitchMakeForceOfCurrent) {
  const std::string log = "time [s],position [inc],current [mA]\n0,0,1000\n1,4096,2000\n2,6000,2000\n";
  const DriveTrain drive{.torque_constant = "0.05 N m/A", .gear = "3", .pitch = "5 mm", .counts_per_turn = "4096"};
  const Recording r = read_recording(log, "log.csv", {.drive = drive});
  EXPECT_FALSE(r.rotary);
  EXPECT_NEAR(r.position[1], 5e-3 / 3, 1e-15);                // one turn of the motor
  EXPECT_NEAR(r.force[1], 2 * 0.05 * 3 * turn / 5e-3, 1e-9);  // power is kept: F dx = τ dφ
  EXPECT_NEAR(r.force[1] * r.position[1], 2 * 0.05 * turn, 1e-12);
}

TEST(ForeignLogs, AJointsAngleIsAtTheLoadUnlessSaid) {
  const std::string log = "time [s],angle [deg],current [A]\n0,0,1\n1,90,2\n2,100,2\n";
  DriveTrain drive{.torque_constant = "0.1 N m/A", .gear = "100"};
  EXPECT_NEAR(read_recording(log, "log.csv", {.drive = drive}).position[1], turn / 4, 1e-12);
  drive.encoder = "motor";
  const Recording r = read_recording(log, "log.csv", {.drive = drive});
  EXPECT_NEAR(r.position[1], turn / 400, 1e-14);
  EXPECT_NEAR(r.force[1], 20, 1e-12);
}

TEST(ForeignLogs, AVoltageDrivesLessTorqueTheFasterTheMotorTurns) {
  std::string log = "time [s],angle [rad],voltage [V]\n";
  for (int i = 0; i < 400; ++i) {  // 5 rad/s for a second, back again; 2 V each way
    const double t = 0.005 * i;
    log += std::to_string(t) + "," + std::to_string(5 * (t < 1 ? t : 2 - t)) + "," + (t < 1 ? "2" : "-2") + "\n";
  }
  const DriveTrain drive{.torque_constant = "0.05 N m/A",
                         .gear = "10",
                         .resistance = "2 ohm",
                         .back_emf = "0.02 V s/rad",
                         .encoder = "load"};
  const Recording r = read_recording(log, "log.csv", {.drive = drive});
  EXPECT_NEAR(r.force[0], 0.05 * 2 / 2 * 10, 1e-12);
  EXPECT_NEAR(r.back_emf, 0.05 * 0.02 / 2 * 100, 1e-12);
  const Prepared p = prepare(r, {.cutoff_hz = 20});
  EXPECT_NEAR(p.force[100], 10 * 0.05 * (2 - 0.02 * 10 * 5) / 2, 1e-6);
}

TEST(ForeignLogs, ADrivesNumberWithoutUseIsRefused) {
  const std::string log = "time [s],position [mm],force [N]\n0,0,1\n1,90,2\n2,100,2\n";
  EXPECT_EQ(message_for(log, {.drive = {.pitch = "5 mm"}}),
            "--pitch does not apply: there is no torque and no angle to convert");
  EXPECT_EQ(message_for(log, {.drive = {.gear = "fifty"}}), "--gear is 'fifty'; a number is needed");
  EXPECT_EQ(message_for(log, {.drive = {.pitch = "5 kg"}}), "--pitch is '5 kg'; it needs the unit m");
}

// --- calculated columns -----------------------------------------------------------------------------------------------

const std::string cylinder = "time [s],x [mm],p1 [bar],p2 [bar],V,i\n0,0,10,2,1,1\n1,1,20,4,2,2\n2,3,20,4,3,3\n";

TEST(ForeignLogs, TwoPressuresMakeAForce) {
  const Recording r = read_recording(cylinder, "log.csv", {.columns = {.force = "p1 * 12.3 cm2 - p2 * 8.1 cm^2"}});
  EXPECT_NEAR(r.force[0], 10e5 * 12.3e-4 - 2e5 * 8.1e-4, 1e-9);
  EXPECT_FALSE(r.rotary);
  const Recording named =
      read_recording(cylinder, "log.csv",
                     {.columns = {.force = "p1*A1 - p2*A2"}, .numbers = {{"A1", "12.3 cm^2"}, {"A2", "8.1 cm^2"}}});
  EXPECT_EQ(named.force, r.force);
  ASSERT_NE(source_of(r, Role::force), nullptr);
  EXPECT_EQ(source_of(r, Role::force)->column, 0u);
}

TEST(ForeignLogs, CalculationsKnowSignsPowersAndFunctions) {
  const auto force = [](const std::string& text) {
    return read_recording(cylinder, "log.csv", {.columns = {.force = text}}).force[1];
  };
  EXPECT_NEAR(force("-2 N + 3 * -1 N"), -5, 1e-12);
  EXPECT_NEAR(force("2 N - 3 N - 4 N"), -5, 1e-12);
  EXPECT_NEAR(force("abs(-3 N) * sign(p1) * sqrt(4)"), 6, 1e-12);
  EXPECT_NEAR(force("sqrt(9 N^2) + cos(180 deg) * 1 N + sin(0) * 1 N"), 2, 1e-12);
  EXPECT_NEAR(force("12 N / 2 / 3"), 2, 1e-12);
  EXPECT_NEAR(force("12 N m / 4 m"), 3, 1e-12);
  EXPECT_NEAR(force("6 [N/V] * 2 V"), 12, 1e-12);
  EXPECT_NEAR(force("{i [A]} * 5 N/A"), 10, 1e-12);
  EXPECT_NEAR(force("(1 + 2) * 2^3 * 1 N"), 24, 1e-12);
  EXPECT_NEAR(force("2 * pi * 1 N"), turn, 1e-12);
}

TEST(ForeignLogs, WhatMakesNoSenseIsRefusedWithItsPlace) {
  const auto refused = [](const std::string& text) { return message_for(cylinder, {.columns = {.force = text}}); };
  EXPECT_EQ(refused("p1*12 cm2 -"), "--force 'p1*12 cm2 -', character 12: a column, a number or a bracket is missing");
  EXPECT_EQ(refused("p1 - i"),
            "--force 'p1 - i', character 4: a pressure [Pa] minus a plain number; both sides need the same dimension");
  EXPECT_EQ(refused("p1 * 2 furlong"), "--force 'p1 * 2 furlong', character 8: unknown unit 'furlong'");
  EXPECT_EQ(refused("((((((p1^9)^9)^9)^9)^9)^9)^9"),
            "--force '((((((p1^9)^9)^9)^9)^9)^9)^9', character 13: a unit to a power beyond 100");
  EXPECT_EQ(refused("(p1*2 cm2"), "--force '(p1*2 cm2', character 1: the bracket is not closed");
  EXPECT_EQ(refused("sin(p1)*1 N"),
            "--force 'sin(p1)*1 N', character 5: sin of a pressure [Pa]; an angle or a plain number is needed");
  EXPECT_EQ(refused("2 p1"), "--force '2 p1', character 3: an operator is missing before 'p1'");
  EXPECT_NE(refused("1 N/V").find("'V' is a column and a unit"), std::string::npos) << refused("1 N/V");
  EXPECT_NE(refused("p3*1 cm2").find("character 1: no column 'p3'"), std::string::npos) << refused("p3*1 cm2");
  EXPECT_NE(refused("p1*2").find("force is a pressure"), std::string::npos) << refused("p1*2");
  EXPECT_NE(refused(std::string(200, '(')).find("64 brackets"), std::string::npos);
}

// --- roles from units -------------------------------------------------------------------------------------------------

TEST(ForeignLogs, TheOnlyColumnWithALengthIsThePosition) {
  const Recording r = read_recording("Zeit [s];Kolbenweg [mm];Stellkraft [kN]\n" + rows(";"), "log.csv", {});
  EXPECT_NEAR(r.position[1], 0.5, 1e-12);
  EXPECT_NEAR(r.force[1], 1500, 1e-9);
  EXPECT_TRUE(has_note(r, "role_from_unit"));
  const Recording about = read_recording("t [s];Achswinkel [deg];Antrieb [Nm]\n" + rows(";"), "log.csv", {});
  EXPECT_TRUE(about.rotary);
  EXPECT_NEAR(about.position[1], 500 * turn / 360, 1e-12);
}

// Several columns of one unit: the user chooses. Set values and normal loads are neither measured motion nor friction.
TEST(ForeignLogs, AUnitDecidesOnlyWhereItIsPlain) {
  EXPECT_NE(message_for("t [s];a [mm];b [mm];force [N]\n0;1;2;3\n1;2;3;4\n2;3;4;5\n", {.needed = {Role::position}}),
            "");
  const Recording r =
      read_recording("t [s];hub [mm];hub soll [mm];force [N]\n0;1;9;3\n1;2;9;4\n2;3;9;5\n", "log.csv", {});
  ASSERT_EQ(r.position.size(), 3u);
  EXPECT_NEAR(r.position[2], 0.003, 1e-15);
  EXPECT_NE(message_for("t [s];x [mm];normal load 2 [N]\n0;1;2\n1;2;3\n2;3;4\n", {.needed = {Role::force}}), "");
}

TEST(ForeignLogs, ADrivesUnitMayFollowAStroke) {
  ReadOptions options;
  options.gains.position = "0.5 um/Inkr", options.gains.force = "12 N/Aeff";
  const Recording r = read_recording("Zeit/s\tLage/Inkr\tStrom/Aeff\n" + rows("\t"), "log.csv", options);
  EXPECT_NEAR(r.position[1], 500 * 0.5e-6, 1e-15);
  EXPECT_NEAR(r.force[1], 18, 1e-12);
}

// --- instants ---------------------------------------------------------------------------------------------------------

/// A log whose times are `instant(i)`, and a force.
template <class Instant>
std::string stamped(const std::string& heading, int count, const Instant& instant) {
  std::string log = heading + ";x [mm];force [N]\n";
  for (int i = 0; i < count; ++i)
    log += instant(i) + ";" + std::to_string(i * i % 7) + ";" + std::to_string(i * 5 % 11) + "\n";
  return log;
}

TEST(Instants, StampsSince1970AreReadInTheirUnit) {
  for (const auto& [unit, seconds] :
       {std::pair<const char*, double>{"ms", 1e-3}, std::pair{"us", 1e-6}, std::pair{"ns", 1e-9}}) {
    const auto instant = [&, seconds = seconds](int i) {
      return std::to_string(static_cast<long long>(std::llround((1.7e9 + 0.25 * i) / seconds)));
    };
    const Recording r = read_recording(stamped("time", 60, instant), "log.csv", {});
    EXPECT_NEAR(r.time[8] - r.time[0], 2, 1e-6) << unit;
    EXPECT_EQ(source_of(r, Role::time)->unit, unit);
    EXPECT_TRUE(has_note(r, "epoch"));
    EXPECT_FALSE(has_note(r, "whole_seconds"));
  }
  const auto steps_8 = [](const Recording& r) { return r.time[8] - r.time[0]; };
  // seconds, a stated unit and a counter that is no instant stay what they are
  const auto since = [](int i) { return std::to_string(1700000000 + i); };
  EXPECT_DOUBLE_EQ(steps_8(read_recording(stamped("time", 60, since), "log.csv", {})), 8);
  const auto stated = [](int i) { return std::to_string(1700000000000 + 250ll * i); };
  EXPECT_DOUBLE_EQ(steps_8(read_recording(stamped("time [s]", 60, stated), "log.csv", {})), 2000);
  const auto counter = [](int i) { return std::to_string(900000000000 + 250ll * i); };
  EXPECT_DOUBLE_EQ(steps_8(read_recording(stamped("time", 60, counter), "log.csv", {})), 2000);
}

TEST(ForeignText, FilesOfOtherToolsAreNamedWithTheWayToConvertThem) {
  const auto said = [](const std::string& bytes) { return message_for(bytes + std::string(64, ' ')); };
  EXPECT_NE(said("MDF     4.10").find("asammdf's MDF('log.mf4').export('csv', 'log')"), std::string::npos);
  EXPECT_NE(said("TDSm").find("LabVIEW TDMS file; export it as CSV: nptdms"), std::string::npos);
  EXPECT_NE(said("#ROSBAG V2.0\n").find("rostopic echo -b"), std::string::npos);
  EXPECT_NE(said("SQLite format 3").find("ROS 2 bag"), std::string::npos);
  EXPECT_NE(said("PAR1").find("pandas.read_parquet"), std::string::npos);
  EXPECT_NE(said("\xd0\xcf\x11\xe0").find("save it as .xlsx or CSV"), std::string::npos);
}

TEST(ForeignNames, AUnitMayFollowAComma) {
  const Recording r = read_recording(
      "Time, sec\tPosition, in\tVelocity, in/s\tForce, lbf\n0\t0\t1\t1\n1\t1\t2\t2\n2\t1\t1\t1\n", "log.txt", {});
  EXPECT_DOUBLE_EQ(r.velocity[0], 0.0254);
  EXPECT_NEAR(r.force[1], 2 * 4.4482216, 1e-6);
  EXPECT_DOUBLE_EQ(r.time[2], 2);
}

TEST(ForeignNames, TheEndOfAPathNamesTheSignal) {
  EXPECT_EQ(
      roles_of("__time,/joint_states/joint_1/position,/joint_states/joint_1/velocity,/joint_states/joint_1/effort"),
      "1 2 3 4");
  EXPECT_EQ(roles_of("time,.header.seq,.position[0],.velocity[0],.effort[0]"), "1 3 4 5");
  EXPECT_EQ(roles_of("time,MAIN.fbAxis.ActPos,MAIN.fbAxis.SetPos,MAIN.fbAxis.ActTorque"), "1 2 - 4");
  EXPECT_EQ(roles_of("time,rec.Y.Position.Data,rec.Y.Force.Data"), "1 2 - 3");
  ReadOptions options;
  options.needed = {Role::time, Role::position};
  EXPECT_NE(message_for("time,/j_1/position,/j_2/position,force\n0,1,2,3\n1,2,3,4\n", options).find("--axis"),
            std::string::npos);
}

TEST(ForeignNames, LabviewStatesTheUnitsAboveTheHeadings) {
  std::string log =
      "LabVIEW Measurement\t\nSeparator\tTab\nDecimal_Separator\t.\n***End_of_Header***\t\nChannels\t2\t\t\n"
      "Y_Unit_Label\tmm\tN\t\nX_Dimension\tTime\tTime\t\n***End_of_Header***\t\t\t\nX_"
      "Value\tPosition\tForce\tComment\n";
  for (int i = 0; i < 6; ++i) log += std::to_string(i) + "\t" + std::to_string(i * i % 5) + "\t2\t\n";
  const Recording r = read_recording(log, "log.lvm", {});
  EXPECT_DOUBLE_EQ(r.position[2], 4e-3);
  EXPECT_EQ(source_of(r, Role::force)->unit, "N");
  EXPECT_EQ(source_of(r, Role::time)->unit, "s");
}

// --- encoders that begin again ------------------------------------------------------------------------------------------

TEST(WrappedPosition, AnglesAndCountersBecomeContinuous) {
  const auto angle = [](int i) { return 900 * std::sin(0.02 * i); };  // degrees, at most 18 in a step
  std::string degrees = "t_s,angle_deg,torque_Nm\n", counts = "t_s,x,F\n", fast = degrees, within = degrees;
  for (int i = 0; i < 700; ++i) {
    const std::string t = std::to_string(i), f = std::to_string(i % 5);
    const double a = angle(i);
    degrees += t + "," + std::to_string(a - 360 * std::floor(a / 360)) + "," + f + "\n";
    const long long c = std::llround(100 * a);
    counts += t + "," + std::to_string(((c % 65536) + 65536) % 65536) + "," + f + "\n";
    const double q = 20 * a;  // up to 360 in a step: which way is not certain
    fast += t + "," + std::to_string(q - 360 * std::floor(q / 360)) + "," + f + "\n";
    within += t + "," + std::to_string(0.1 * a + 180) + "," + f + "\n";
  }
  const Recording turning = read_recording(degrees, "log.csv", {});
  EXPECT_TRUE(has_note(turning, "wrapped"));
  const Recording counting = read_recording(counts, "log.csv", {.gains = {.position = "0.01 mm/counts"}});
  EXPECT_TRUE(has_note(counting, "wrapped"));
  for (int i = 0; i < 700; ++i) {
    EXPECT_NEAR(turning.position[std::size_t(i)], turn / 360 * angle(i), 1e-6);
    EXPECT_NEAR(counting.position[std::size_t(i)], 1e-5 * std::round(100 * angle(i)), 1e-9);
  }
  EXPECT_FALSE(has_note(read_recording(fast, "log.csv", {}), "wrapped"));
  EXPECT_FALSE(has_note(read_recording(within, "log.csv", {}), "wrapped"));
}

// --- temperatures -------------------------------------------------------------------------------------------------------

std::string warm_log(const std::string& heading, const std::string& values = "20,30,40,50,60,70") {
  std::string text = "t [s],x [m],F [N]," + heading + "\n";
  std::size_t from = 0;
  for (int i = 0; i < 6; ++i) {
    const auto end = values.find(',', from);
    text += std::to_string(i) + "," + std::to_string(i * i) + "," + std::to_string(3 + i) + "," +
            values.substr(from, end - from) + "\n";
    from = end + 1;
  }
  return text;
}
Recording warm(const std::string& heading, const ReadOptions& options = {}) {
  return read_recording(warm_log(heading), "log.csv", options);
}

TEST(ForeignLogs, TemperaturesAreFoundByNameAndUnit) {
  for (const char* heading : {"temperature_degC", "temp_C", "Temperatur [°C]", "T_motor [degC]", "motor_temp [C]",
                              "T [degC]", "ϑ [°C]", "Temp Winding [ºC]", "oil_temperature [deg C]"}) {
    const Recording r = warm(heading);
    ASSERT_EQ(r.temperature.size(), 6u) << heading;
    EXPECT_DOUBLE_EQ(r.temperature[0], 293.15) << heading;
    EXPECT_DOUBLE_EQ(r.temperature[5], 343.15) << heading;
    EXPECT_EQ(r.time.size(), 6u) << heading;
    EXPECT_EQ(r.time[1], 1) << heading;
  }
  EXPECT_NEAR(warm("temperature [degF]").temperature[0], 273.15 + (20 - 32) / 1.8, 1e-10);
  EXPECT_EQ(warm("temperature_K").temperature[0], 20);
  EXPECT_TRUE(has_note(warm("temperature_K"), "cold"));
}

// Nothing is guessed, and no log that nobody asked for a temperature is refused for it.
TEST(ForeignLogs, ATemperatureIsNotGuessed) {
  const Recording plain = warm("temp");
  EXPECT_TRUE(plain.temperature.empty());
  EXPECT_TRUE(has_note(plain, "no_temperature_unit"));
  const Recording volts = warm("temperature_V");
  EXPECT_TRUE(volts.temperature.empty());
  ASSERT_TRUE(has_note(volts, "no_temperature_unit"));
  EXPECT_EQ(
      volts.notes.back().text,
      "'temperature' is in V, no unit of a temperature, and is not taken; --temperature 'temperature [degC]' states "
      "another, --temperature-gain '10 degC/V' beside it converts");
  EXPECT_TRUE(has_note(warm("temp [N]"), "no_temperature_unit"));
  EXPECT_FALSE(has_note(warm("T_motor [Nm]"), "no_temperature_unit")) << "a torque";
  EXPECT_TRUE(warm("setpoint_temperature [degC]").temperature.empty());
  const Recording gaps = read_recording(warm_log("temp [degC]", "20,,40,50,60,70"), "log.csv", {});
  EXPECT_TRUE(gaps.temperature.empty());
  EXPECT_TRUE(has_note(gaps, "no_temperature"));
  const Recording cold = read_recording(warm_log("temp [degC]", "20,-300,40,50,60,70"), "log.csv", {});
  EXPECT_TRUE(cold.temperature.empty());
  EXPECT_TRUE(has_note(cold, "no_temperature"));
  const Recording two =
      read_recording("t [s],x [m],F [N],T_motor [degC],T_oil [degC]\n0,0,1,20,21\n1,1,2,22,23\n", "log.csv", {});
  EXPECT_TRUE(two.temperature.empty());
  EXPECT_TRUE(has_note(two, "several_temperatures"));
}

// 'temp*2 [degC]' multiplied by 275.15 K.
TEST(ForeignLogs, ANumberInCelsiusIsNoFactor) {
  const auto calculated = [](const std::string& text) {
    ReadOptions options;
    options.columns.temperature = text;
    return options;
  };
  const std::string why =
      "a number in degC or degF is no factor and has no sign, its zero is elsewhere; the unit of a column is written "
      "{T [degC]}, a difference in K";
  for (const auto& [text, place] :
       {std::pair{"temp*2 [degC]", 6}, {"temp/2 degC", 6}, {"(2 degF)*temp", 1}, {"temp + -2 degC", 9}})
    EXPECT_EQ(message_for(warm_log("temp"), calculated(text)),
              "--temperature '" + std::string(text) + "', character " + std::to_string(place) + ": " + why);
  EXPECT_NE(message_for(warm_log("temp [degC]"), calculated("temp + 2 degC")).find("write what is added in K"),
            std::string::npos);
  EXPECT_DOUBLE_EQ(warm("u [V]", calculated("u * 10 [K/V] + 20 degC")).temperature[0], 293.15 + 200);
  EXPECT_DOUBLE_EQ(warm("temp [degC]", calculated("0.5*temp + 0.5*{temp [degC]}")).temperature[0], 293.15);
  EXPECT_DOUBLE_EQ(warm("temp [degC]", calculated("(temp + temp)/2 + 2 K")).temperature[0], 295.15);
}

TEST(ForeignLogs, AChosenTemperatureNeedsAUnit) {
  const auto chosen = [](const std::string& column, const std::string& gain = "") {
    ReadOptions options;
    options.columns.temperature = column;
    options.gains.temperature = gain;
    return options;
  };
  EXPECT_DOUBLE_EQ(warm("sensor 3", chosen("sensor 3 [degC]")).temperature[0], 293.15);
  EXPECT_DOUBLE_EQ(warm("s3 [V]", chosen("s3", "2 degC/V")).temperature[0], 273.15 + 40);
  EXPECT_DOUBLE_EQ(warm("s3", chosen("s3", "2 degC/V")).temperature[0], 273.15 + 40);
  EXPECT_DOUBLE_EQ(warm("s3 [degC]", chosen("s3 + 5 K")).temperature[0], 298.15);
  EXPECT_EQ(message_for(warm_log("s3"), chosen("s3")),
            "log.csv:1:4: temperature: 's3' has no unit; write --temperature 's3 [degC]', or [K] or [degF]");
  EXPECT_EQ(
      message_for(warm_log("s3 [N]"), chosen("s3")),
      "log.csv:1:4: temperature is a force [N] where a temperature [K] is needed; --temperature-gain converts, as in "
      "'10 degC/V'");
  EXPECT_EQ(message_for(warm_log("s3 [degC]", "20,-300,40,50,60,70"), chosen("s3")),
            "log.csv:3:4: temperature is -26.85 K, below absolute zero; --temperature 's3 [degC]' states another unit");
  EXPECT_EQ(message_for(warm_log("s3 [degC]"), chosen("s3", "2")),
            "gain of temperature: the column is in 'degC', whose zero is elsewhere; calculate instead, as in "
            "--temperature '1.02 * {s3 [degC]}', in K");
  EXPECT_EQ(message_for(warm_log("s3 [degC]"), chosen("none")).substr(0, 26), "log.csv:1:1: no column 'no");
}

}  // namespace
}  // namespace stickslip::foreign_logs_test
