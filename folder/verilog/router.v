// The one file of this folder whose ports count from 0, as wires do in hardware: port p here is
// port p + 1 of the cables, the routing table and all other files.
// Routing of fat_tree(4): 36 nodes, 4 ports.
// Router: up and down; 76 operations, no table.
// Same ports as the router for all 1296 pairs.
// Nodes count from 0 and ports from 0, as in `hopscape show` and `hopscape route`.
// Written by hopscape.

module fat_tree_4_route (
  input  wire [5:0] at,
  input  wire [5:0] to,
  output wire [1:0] port,
  output wire arrived
);
  wire signed [6:0] at_s = {1'b0, at};
  wire signed [6:0] to_s = {1'b0, to};
  wire v1 = at_s == to_s;
  wire v2 = at_s < 6'sd16;
  wire v3 = at_s < 6'sd24;
  wire v4 = to_s < 6'sd16;
  wire v5 = to_s < 6'sd16;
  wire signed [4:0] v6 = v5 ? to_s : 1'sd0;
  wire signed [3:0] v7 = v6 >>> 1;
  wire v8 = to_s < 6'sd16;
  wire v9 = !v8;
  wire v10 = to_s < 6'sd24;
  wire v11 = v9 && v10;
  wire signed [5:0] v12 = to_s + -6'sd16;
  wire signed [3:0] v13 = v11 ? v12 : 1'sd0;
  wire signed [3:0] below = v4 ? v7 : v13;  // edge switch of the destination, where it has one
  wire v14 = at_s < 6'sd16;
  wire v15 = !v14;
  wire v16 = at_s < 6'sd24;
  wire v17 = v15 && v16;
  wire signed [5:0] v18 = at_s + -6'sd16;
  wire signed [3:0] v19 = v17 ? v18 : 1'sd0;
  wire v20 = below == v19;
  wire v21 = v4 && v20;
  wire signed [5:0] v22 = to_s >>> 1;
  wire signed [6:0] v23 = v22 * 3'sd2;
  wire signed [1:0] near = to_s - v23;  // chooses among ports that are alike
  wire v24 = to_s < 6'sd24;
  wire v25 = to_s < 7'sd32;
  wire v26 = to_s < 6'sd24;
  wire v27 = !v26;
  wire v28 = to_s < 7'sd32;
  wire v29 = v27 && v28;
  wire signed [5:0] v30 = to_s + -6'sd24;
  wire signed [3:0] v31 = v29 ? v30 : 1'sd0;
  wire signed [2:0] v32 = v31 >>> 1;
  wire signed [3:0] v33 = v32 * 3'sd2;
  wire signed [1:0] v34 = v31 - v33;
  wire v35 = to_s < 7'sd32;
  wire v36 = !v35;
  wire signed [5:0] v37 = to_s + -7'sd32;
  wire signed [2:0] v38 = v36 ? v37 : 1'sd0;
  wire signed [1:0] v39 = v38 >>> 1;
  wire signed [1:0] column = v25 ? v34 : v39;  // of the switch that is the destination
  wire signed [1:0] v40 = v24 ? near : column;
  wire signed [2:0] v41 = v40 + 3'sd2;
  wire signed [2:0] v42 = v21 ? near : v41;
  wire v43 = at_s < 7'sd32;
  wire v44 = at_s < 6'sd24;
  wire v45 = !v44;
  wire v46 = at_s < 7'sd32;
  wire v47 = v45 && v46;
  wire signed [5:0] v48 = at_s + -6'sd24;
  wire signed [3:0] v49 = v47 ? v48 : 1'sd0;
  wire signed [2:0] v50 = v49 >>> 1;
  wire signed [3:0] v51 = v24 ? below : v31;
  wire signed [2:0] pod = v51 >>> 1;  // of the destination, if not a core
  wire v52 = v50 == pod;
  wire v53 = v52 && v25;
  wire signed [2:0] v54 = below >>> 1;
  wire signed [3:0] v55 = v54 * 3'sd2;
  wire signed [1:0] v56 = below - v55;
  wire signed [5:0] across = to_s >>> 1;  // chooses higher up
  wire signed [4:0] v57 = across >>> 1;
  wire signed [5:0] v58 = v57 * 3'sd2;
  wire signed [1:0] v59 = across - v58;
  wire signed [2:0] v60 = v59 + 3'sd2;
  wire signed [2:0] v61 = v53 ? v56 : v60;
  wire signed [5:0] v62 = v57 * 3'sd2;
  wire signed [1:0] v63 = across - v62;
  wire signed [2:0] v64 = v49 >>> 1;
  wire signed [3:0] v65 = v64 * 3'sd2;
  wire signed [1:0] v66 = v49 - v65;
  wire v67 = v66 == column;
  wire signed [3:0] v68 = across >>> 2;
  wire signed [5:0] v69 = v68 * 4'sd4;
  wire signed [2:0] v70 = across - v69;
  wire signed [2:0] v71 = v67 ? v60 : v70;
  wire signed [2:0] v72 = v53 ? v63 : v71;
  wire signed [1:0] v73 = v38 >>> 1;
  wire signed [2:0] v74 = v73 * 3'sd2;
  wire signed [1:0] v75 = v38 - v74;
  wire signed [2:0] v76 = v75 + 3'sd2;
  wire signed [5:0] v77 = v57 * 3'sd2;
  wire signed [1:0] v78 = across - v77;
  wire signed [2:0] v79 = v67 ? v76 : v78;
  wire signed [2:0] v80 = v25 ? v72 : v79;
  wire signed [2:0] v81 = v24 ? v61 : v80;
  wire signed [4:0] v82 = to_s >>> 2;
  wire signed [6:0] v83 = v82 * 4'sd4;
  wire signed [2:0] v84 = to_s - v83;
  wire signed [2:0] v85 = v25 ? pod : v84;
  wire signed [2:0] v86 = v43 ? v81 : v85;
  wire signed [2:0] v87 = v3 ? v42 : v86;
  wire signed [2:0] v88 = v2 ? 1'sd0 : v87;
  wire signed [2:0] v89 = v1 ? -2'sd1 : v88;
  wire signed [2:0] chosen = v89;
  assign port = chosen[1:0];
  assign arrived = chosen < 0;
endmodule
